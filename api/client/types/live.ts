// Made from the schemas of the service interface by `npm run client`: do not edit.
export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description Subscribes to a channel, or resumes a subscription of an earlier connection. */
        subscribe: {
            /** @constant */
            type: "subscribe";
            /** @constant */
            channel: "pose_updates";
            filters?: {
                min_confidence?: number;
                person_ids?: number[];
                include_keypoints?: boolean;
                include_dense_pose?: boolean;
                include_3d?: boolean;
                environment_id?: string;
            };
            resume?: {
                subscription_id: string;
                frame_id: number;
            };
        } | {
            /** @constant */
            type: "subscribe";
            /** @constant */
            channel: "alerts";
            filters?: {
                alert_types?: ("fall_detection" | "inactivity" | "intrusion" | "crowd" | "zone_entered" | "zone_left" | "activity_changed" | "fall_suspected" | "fall_withdrawn" | "inference_degraded" | "inference_restored")[];
                severity?: ("low" | "medium" | "high" | "critical")[];
                environment_id?: string;
                /** @description Adds `environment_id` to the alerts. Default: false. */
                include_environment?: boolean;
            };
            resume?: {
                subscription_id: string;
                alert_id?: string;
            };
        } | {
            /** @constant */
            type: "subscribe";
            /** @constant */
            channel: "acknowledgements";
            filters?: {
                environment_id?: string;
            };
            resume?: {
                subscription_id: string;
            };
        } | {
            /** @constant */
            type: "subscribe";
            /** @constant */
            channel: "system_status";
            filters?: Record<string, never>;
            resume?: {
                subscription_id: string;
            };
        };
        /** @description Ends a subscription. */
        unsubscribe: {
            /** @constant */
            type: "unsubscribe";
            subscription_id: string;
        };
        /** @description Requests a pong. */
        ping: {
            /** @constant */
            type: "ping";
        };
        /** @description The first message of a connection. */
        connection_established: {
            /** @constant */
            type: "connection_established";
            client_id: string;
            /** Format: date-time */
            server_time: string;
            supported_protocols: string[];
        };
        /** @description Answers subscribe. */
        subscription_confirmed: {
            /** @constant */
            type: "subscription_confirmed";
            /** @enum {unknown} */
            channel: "pose_updates" | "alerts" | "acknowledgements" | "system_status";
            subscription_id: string;
            filters_applied: {
                min_confidence?: number;
                person_ids?: number[];
                include_keypoints?: boolean;
                include_dense_pose?: boolean;
                include_3d?: boolean;
                environment_id?: string;
            } | {
                alert_types?: ("fall_detection" | "inactivity" | "intrusion" | "crowd" | "zone_entered" | "zone_left" | "activity_changed" | "fall_suspected" | "fall_withdrawn" | "inference_degraded" | "inference_restored")[];
                severity?: ("low" | "medium" | "high" | "critical")[];
                environment_id?: string;
                /** @description Adds `environment_id` to the alerts. Default: false. */
                include_environment?: boolean;
            } | {
                environment_id?: string;
            };
            /** @description Missed messages that follow now, and an upper limit of those that were lost. */
            resumed?: {
                sent: number;
                missed: number;
            };
        };
        /** @description Answers unsubscribe. */
        unsubscription_confirmed: {
            /** @constant */
            type: "unsubscription_confirmed";
            subscription_id: string;
        };
        /** @description A pose frame that matches a subscription; persons have the shape of Form B unless configured otherwise. */
        pose_update: {
            /** @constant */
            type: "pose_update";
            subscription_id: string;
            /** Format: date-time */
            timestamp: string;
            data: {
                frame_id: number;
                persons: {
                    person_id: number;
                    track_id: number;
                    confidence: number;
                    bounding_box: {
                        x: number;
                        y: number;
                        width: number;
                        height: number;
                    };
                    keypoints?: {
                        name: string;
                        x: number;
                        y: number;
                        confidence: number;
                        visible: boolean;
                        position?: {
                            x: number;
                            y: number;
                            z: number;
                        };
                        position_error?: number;
                    }[];
                    dense_pose?: {
                        /** @description PNG in base64 of the bounding box: red the part (0: none), green U, blue V. */
                        iuv_image: string;
                        /** @description Grey PNG in base64 of the same size: 255 is certain. */
                        confidence_map: string;
                    };
                    position?: {
                        x: number;
                        y: number;
                        z: number;
                    };
                    /** @description Expected distance between this and the true position, metres */
                    position_error?: number;
                    heading?: number | null;
                    posture?: string;
                    /** @description False: draw a disc of position_error, no skeleton */
                    articulated?: boolean;
                }[];
                metadata: {
                    model_version: string;
                    processing_mode: string;
                    csi_quality: number;
                    processing_time_ms: number;
                };
            } | {
                frame_id: number;
                persons: {
                    id: number;
                    confidence: number;
                    bounding_box: {
                        x: number;
                        y: number;
                        width: number;
                        height: number;
                    };
                    keypoints?: {
                        name: string;
                        x: number;
                        y: number;
                        confidence: number;
                        visible: boolean;
                        position?: {
                            x: number;
                            y: number;
                            z: number;
                        };
                        position_error?: number;
                    }[];
                    dense_pose?: {
                        /** @description Parts visible to the camera, by number. Empty: no skeleton to draw. */
                        body_parts: {
                            part_id: number;
                            /** @enum {unknown} */
                            part_name: "torso_back" | "torso_front" | "right_hand" | "left_hand" | "left_foot" | "right_foot" | "right_upper_leg_back" | "left_upper_leg_back" | "right_upper_leg_front" | "left_upper_leg_front" | "right_lower_leg_back" | "left_lower_leg_back" | "right_lower_leg_front" | "left_lower_leg_front" | "left_upper_arm_inner" | "right_upper_arm_inner" | "left_upper_arm_outer" | "right_upper_arm_outer" | "left_lower_arm_inner" | "right_lower_arm_inner" | "left_lower_arm_outer" | "right_lower_arm_outer" | "head_right" | "head_left";
                            /** @description Up to 16 pairs of U and V, spread over the visible area of the part. */
                            uv_coordinates: number[][];
                            confidence: number;
                        }[];
                    };
                    tracking_info: {
                        track_id: string;
                        track_age: number;
                        velocity: {
                            x: number;
                            y: number;
                        };
                    };
                    position?: {
                        x: number;
                        y: number;
                        z: number;
                    };
                    /** @description Expected distance between this and the true position, metres */
                    position_error?: number;
                    heading?: number | null;
                    posture?: string;
                    /** @description False: draw a disc of position_error, no skeleton */
                    articulated?: boolean;
                }[];
                metadata: {
                    environment_id: string;
                    router_count: number;
                    signal_quality: number;
                    processing_pipeline: string;
                    processing_time_ms: number;
                };
            };
        };
        /** @description An alert that matches a subscription. */
        alert: {
            /** @constant */
            type: "alert";
            alert_id: string;
            /** Format: date-time */
            timestamp: string;
            /** @enum {unknown} */
            alert_type: "fall_detection" | "inactivity" | "intrusion" | "crowd" | "zone_entered" | "zone_left" | "activity_changed" | "fall_suspected" | "fall_withdrawn" | "inference_degraded" | "inference_restored";
            /** @enum {unknown} */
            severity: "low" | "medium" | "high" | "critical";
            data: {
                person_id: number | null;
                location: {
                    x: number;
                    y: number;
                };
                confidence: number;
                video_clip_url: string;
            };
            actions_required: string[];
            /** @description Only with include_environment. */
            environment_id?: string;
        };
        /** @description Somebody has acknowledged an alert. */
        alert_acknowledged: {
            /** @constant */
            type: "alert_acknowledged";
            alert_id: string;
            environment_id: string;
            acknowledged_by: string;
            /** Format: date-time */
            acknowledged_at: string;
        };
        /** @description Status of the system, every few seconds. */
        system_status: {
            /** @constant */
            type: "system_status";
            /** Format: date-time */
            timestamp: string;
            status: {
                processing_fps: number;
                active_persons: number;
                system_health: string;
                gpu_utilization: number;
            };
        };
        /** @description The fault in a message. */
        error: {
            /** @constant */
            type: "error";
            code: string;
            message: string;
        };
        /** @description Answers ping. */
        pong: {
            /** @constant */
            type: "pong";
            /** Format: date-time */
            timestamp: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
