// Made from the schemas of the service interface by `npm run client`: do not edit.
export interface paths {
    "/auth/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Exchanges a name and a password for an access token. */
        post: operations["postAuthToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Exchanges a refresh token, which is good once, for a new pair. A used one ends its whole login. */
        post: operations["postAuthRefresh"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ends the login that a refresh token comes from, with all its tokens. */
        post: operations["postAuthRevoke"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/signing-keys/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Signs tokens with a new key from now on. Nobody is logged out: the old key checks what it signed.
         * @description Takes the role admin.
         */
        post: operations["postAuthSigningKeysRotate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The people who may log in.
         * @description Takes the role admin.
         */
        get: operations["getAuthUsers"];
        put?: never;
        /**
         * Makes a user. Without a password one is made up; it is shown in this answer alone.
         * @description Takes the role admin.
         */
        post: operations["postAuthUsers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/users/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Changes the role or the password of a user. A new password ends all logins of that user.
         * @description Takes the role admin.
         */
        put: operations["putAuthUsersName"];
        post?: never;
        /**
         * Removes a user, whose tokens are good for nothing from then on.
         * @description Takes the role admin.
         */
        delete: operations["deleteAuthUsersName"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The API keys, without what is secret of them.
         * @description Takes the role admin.
         */
        get: operations["getAuthApiKeys"];
        put?: never;
        /**
         * Makes an API key; the key itself is shown in this answer alone.
         * @description Takes the role admin.
         */
        post: operations["postAuthApiKeys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/api-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Removes an API key.
         * @description Takes the role admin.
         */
        delete: operations["deleteAuthApiKeysId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pose/latest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The newest pose frame.
         * @description Takes the role viewer.
         */
        get: operations["getPoseLatest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pose/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stored poses of a range of time, oldest first.
         * @description Takes the role viewer.
         */
        get: operations["getPoseHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pose/query": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stored poses summed up by minute, hour, day or week.
         * @description Takes the role viewer.
         */
        post: operations["postPoseQuery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pose/process": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Poses of frames of CSI that the caller has, by the operators and the network of the main topology.
         * @description Takes the role operator.
         */
        post: operations["postPoseProcess"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pose/tracking/{track_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One followed person: when seen, how sure, how far and how fast.
         * @description Takes the role viewer.
         */
        get: operations["getPoseTrackingTrackId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/analytics/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What happened in a range of time, oldest first.
         * @description Takes the role viewer.
         */
        get: operations["getAnalyticsEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/analytics/healthcare": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Falls, activity, mobility and sleep of the running hour, day, week or month.
         * @description Takes the role viewer.
         */
        get: operations["getAnalyticsHealthcare"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/analytics/retail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Visitors, zones, funnel and heat map of the running hour, day, week or month.
         * @description Takes the role viewer.
         */
        get: operations["getAnalyticsRetail"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/analytics/security": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Intrusions, perimeter and crowds of the running hour, day, week or month.
         * @description Takes the role viewer.
         */
        get: operations["getAnalyticsSecurity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/analytics/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Detections, activity and how the system ran, over a range of time.
         * @description Takes the role viewer.
         */
        get: operations["getAnalyticsSummary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/analytics/occupancy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How many people there were, over a range of time.
         * @description Takes the role viewer.
         */
        get: operations["getAnalyticsOccupancy"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/analytics/measures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Measures of operators over a range of time, by name, subject and interval.
         * @description Takes the role viewer.
         */
        get: operations["getAnalyticsMeasures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/alerts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The newest alerts of all environments, newest first, and who saw to them.
         * @description Takes the role viewer.
         */
        get: operations["getAlerts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/alerts/{timestamp}/{alert_id}/acknowledgement": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Notes that you see to an alert, and tells all clients. Only the first acknowledgement counts.
         * @description Takes the role operator.
         */
        post: operations["postAlertsTimestampAlertIdAcknowledgement"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/alerts/{timestamp}/{alert_id}/clip": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A moving skeleton of the seconds around an alert, as animated SVG.
         * @description Takes the role viewer.
         */
        get: operations["getAlertsTimestampAlertIdClip"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/system/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * State of the system and measured figures of its parts.
         * @description Takes the role viewer.
         */
        get: operations["getSystemStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/system/steps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How far the start, stop or restart that is under way has come, or the last one.
         * @description Takes the role viewer.
         */
        get: operations["getSystemSteps"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/system/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Starts the main topology.
         * @description Takes the role operator.
         */
        post: operations["postSystemStart"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/system/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stops the main topology, by default after a checkpoint.
         * @description Takes the role operator.
         */
        post: operations["postSystemStop"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/system/restart": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stops the main topology after a checkpoint, and starts it again from there.
         * @description Takes the role operator.
         */
        post: operations["postSystemRestart"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The configuration, as it is now or will be with the next start.
         * @description Takes the role viewer.
         */
        get: operations["getConfig"];
        /**
         * Changes the fields that are given, all or none. With `If-Match` only the version that it names.
         * @description Takes the role admin.
         */
        put: operations["putConfig"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/config/schema": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What the configuration may be, and what it is without any change.
         * @description Takes the role viewer.
         */
        get: operations["getConfigSchema"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/config/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The last hundred changes of the configuration, the newest first: who, when, from what to what.
         * @description Takes the role admin.
         */
        get: operations["getConfigHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/config/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Takes back the newest change of the configuration that was not taken back yet.
         * @description Takes the role admin.
         */
        post: operations["postConfigUndo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/topologies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The topologies of the deployment, the main one first.
         * @description Takes the role viewer.
         */
        get: operations["getTopologies"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/topologies/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * State of a topology and of each of its nodes.
         * @description Takes the role viewer.
         */
        get: operations["getTopologiesId"];
        /**
         * Puts a topology beside the main one, or changes one that does not run. It is not started.
         * @description Takes the role admin.
         */
        put: operations["putTopologiesId"];
        post?: never;
        /**
         * Forgets a topology that does not run. What it has stored stays on disk.
         * @description Takes the role admin.
         */
        delete: operations["deleteTopologiesId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/topologies/{id}/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Starts a topology. Its state tells how far it has come.
         * @description Takes the role operator.
         */
        post: operations["postTopologiesIdStart"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/topologies/{id}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stops a topology, by default after a checkpoint.
         * @description Takes the role operator.
         */
        post: operations["postTopologiesIdStop"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/topologies/{id}/restart": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stops a topology after a checkpoint, and starts it again from there.
         * @description Takes the role operator.
         */
        post: operations["postTopologiesIdRestart"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/topologies/{id}/graph": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Nodes and edges of a topology, and the same as a Mermaid flow chart.
         * @description Takes the role viewer.
         */
        get: operations["getTopologiesIdGraph"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/topologies/{id}/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What a new file would change in a topology; changes nothing.
         * @description Takes the role operator.
         */
        post: operations["postTopologiesIdPlan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/topologies/{id}/apply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Makes a planned change: takes a checkpoint and goes on from it. Refuses the hash of a stale plan.
         * @description Takes the role admin.
         */
        post: operations["postTopologiesIdApply"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/topologies/{id}/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How each link of a topology is, whether it counts, and which senders belong to none.
         * @description Takes the role viewer.
         */
        get: operations["getTopologiesIdLinks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/topologies/{id}/nodes/{node}/records": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Records that a node gives from now on, and a sink takes: a sample that never slows the pipeline.
         * @description Takes the role operator.
         */
        get: operations["getTopologiesIdNodesNodeRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The registered endpoints, without their secrets.
         * @description Takes the role admin.
         */
        get: operations["getWebhooks"];
        put?: never;
        /**
         * Registers an endpoint that alerts are sent to, signed with the secret.
         * @description Takes the role admin.
         */
        post: operations["postWebhooks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Removes an endpoint; what waits for it is not sent.
         * @description Takes the role admin.
         */
        delete: operations["deleteWebhooksId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/topologies/{id}/dead-letters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Records that nodes could not take, with the reasons, oldest first.
         * @description Takes the role viewer.
         */
        get: operations["getTopologiesIdDeadLetters"];
        put?: never;
        post?: never;
        /**
         * Forgets dead letters: those of these ids, else those of a node, else all.
         * @description Takes the role operator.
         */
        delete: operations["deleteTopologiesIdDeadLetters"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/topologies/{id}/dead-letters/{letter}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A dead letter with its record.
         * @description Takes the role viewer.
         */
        get: operations["getTopologiesIdDeadLettersLetter"];
        put?: never;
        post?: never;
        /**
         * Forgets a dead letter.
         * @description Takes the role operator.
         */
        delete: operations["deleteTopologiesIdDeadLettersLetter"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/topologies/{id}/dead-letters/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Gives records to their nodes once more: those of these ids, else those of a node, else all.
         * @description Takes the role operator.
         */
        post: operations["postTopologiesIdDeadLettersReplay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/topologies/{id}/backups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Copies all that a topology stores to a new folder below `backups` of its state folder.
         * @description Takes the role admin.
         */
        post: operations["postTopologiesIdBackups"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/exports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Writes a table of a store in a file of this machine to a new file in `backups` of the state folder, for other programs.
         * @description Takes the role admin.
         */
        post: operations["postExports"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Control actions with who asked for them and what came of it, also refused ones.
         * @description Takes the role admin.
         */
        get: operations["getAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the service answers, without credentials. */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/detailed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How each part is, with its figures; stores are asked for it.
         * @description Takes the role viewer.
         */
        get: operations["getHealthDetailed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Figures of now, and by the minute of a range: of the last hour where none is given, of seven days at most.
         * @description Takes the role viewer.
         */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Error: {
            error: {
                code: string;
                message: string;
                details: {
                    field_errors?: {
                        field: string;
                        message: string;
                        received_value: unknown;
                    }[];
                    limit?: number;
                    window_seconds?: number;
                    /** Format: date-time */
                    reset_time?: string;
                    current_status?: string;
                    requested_range?: {
                        start: string | null;
                        end: string | null;
                    };
                    available_range?: {
                        start: string | null;
                        end: string | null;
                    };
                };
                /** Format: date-time */
                timestamp: string;
                request_id: string;
            };
        };
    };
    responses: {
        /** @description The request cannot be read, or its range is too long. */
        Error400: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Credentials are missing or not valid. */
        Error401: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                /** @description `Bearer`, but at a login. */
                "WWW-Authenticate"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The account may not do this. */
        Error403: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Not there. */
        Error404: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Not by this method. */
        Error405: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                /** @description The methods that the path takes. */
                Allow?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The request came too slowly. */
        Error408: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description It does not fit what is going on. */
        Error409: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body is too large. */
        Error413: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description It was changed meanwhile. */
        Error412: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The service does not go by that name; or another process of the group reads the room: `Location` says where to ask. */
        Error421: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                /** @description The same call at the process that reads the room, where it has told its address. */
                Location?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description A field is not valid. */
        Error422: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The rate limit is used up. */
        Error429: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                /** @description Seconds to wait before it is tried again. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The headers are too large. */
        Error431: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Something failed inside. */
        Error500: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The hardware does not answer. */
        Error502: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Not ready, or overloaded: try again after Retry-After. */
        Error503: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                /** @description Seconds to wait before it is tried again. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description It took too long. */
        Error504: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description Requests allowed in the window. */
        "X-RateLimit-Limit": number;
        /** @description Requests left in the window. */
        "X-RateLimit-Remaining": number;
        /** @description When the window ends: Unix time in seconds. */
        "X-RateLimit-Reset": number;
        /** @description Length of the window in seconds. */
        "X-RateLimit-Window": number;
        /** @description Names the call, in logs too. */
        "X-Request-Id": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    postAuthToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "username": "ada",
                 *       "password": "a long one"
                 *     }
                 */
                "application/json": {
                    username: string;
                    password: string;
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        access_token: string;
                        token_type: string;
                        expires_in: number;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    postAuthRefresh: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    refresh_token: string;
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            access_token: string;
                            token_type: string;
                            expires_in: number;
                            refresh_token: string;
                        };
                        /** Format: date-time */
                        timestamp: string;
                        request_id: string;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    postAuthRevoke: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    refresh_token: string;
                };
            };
        };
        responses: {
            /** @description Done; nothing to say. */
            204: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    postAuthSigningKeysRotate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            201: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            key_id: string;
                        };
                        /** Format: date-time */
                        timestamp: string;
                        request_id: string;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    getAuthUsers: {
        parameters: {
            query?: {
                /** @description From 1. */
                page?: number;
                /** @description So many of the list on a page. */
                per_page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            name: string;
                            /** @enum {unknown} */
                            role: "viewer" | "operator" | "admin";
                        }[];
                        pagination: {
                            page: number;
                            per_page: number;
                            total: number;
                            total_pages: number;
                            has_next: boolean;
                            has_prev: boolean;
                        };
                        /** Format: date-time */
                        timestamp: string;
                        request_id: string;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    postAuthUsers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description 1 to 64 letters, digits and _ . @ - */
                    name: string;
                    /** @enum {unknown} */
                    role: "viewer" | "operator" | "admin";
                    password?: string;
                };
            };
        };
        responses: {
            /** @description The answer. */
            201: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            name: string;
                            /** @enum {unknown} */
                            role: "viewer" | "operator" | "admin";
                            password: string;
                        };
                        /** Format: date-time */
                        timestamp: string;
                        request_id: string;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    putAuthUsersName: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description As the list of users shows it. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @enum {unknown} */
                    role?: "viewer" | "operator" | "admin";
                    password?: string;
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            name: string;
                            /** @enum {unknown} */
                            role: "viewer" | "operator" | "admin";
                        };
                        /** Format: date-time */
                        timestamp: string;
                        request_id: string;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    deleteAuthUsersName: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description As the list of users shows it. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; nothing to say. */
            204: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    getAuthApiKeys: {
        parameters: {
            query?: {
                /** @description From 1. */
                page?: number;
                /** @description So many of the list on a page. */
                per_page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            id: string;
                            name: string;
                            /** @enum {unknown} */
                            role: "viewer" | "operator" | "admin";
                            /** Format: date-time */
                            created_at: string;
                            expires_at: string | null;
                        }[];
                        pagination: {
                            page: number;
                            per_page: number;
                            total: number;
                            total_pages: number;
                            has_next: boolean;
                            has_prev: boolean;
                        };
                        /** Format: date-time */
                        timestamp: string;
                        request_id: string;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    postAuthApiKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "grafana",
                 *       "role": "viewer",
                 *       "expires_at": "2099-01-01T00:00:00Z"
                 *     }
                 */
                "application/json": {
                    /** @description 1 to 64 letters, digits and _ . @ - */
                    name: string;
                    /** @enum {unknown} */
                    role: "viewer" | "operator" | "admin";
                    expires_at?: string | null;
                };
            };
        };
        responses: {
            /** @description The answer. */
            201: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            id: string;
                            name: string;
                            /** @enum {unknown} */
                            role: "viewer" | "operator" | "admin";
                            /** Format: date-time */
                            created_at: string;
                            expires_at: string | null;
                            key: string;
                        };
                        /** Format: date-time */
                        timestamp: string;
                        request_id: string;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    deleteAuthApiKeysId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description As its list shows it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; nothing to say. */
            204: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    getPoseLatest: {
        parameters: {
            query?: {
                /** @description Adds room metres and their error to persons and keypoints. */
                include_3d?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        timestamp: string;
                        frame_id: number;
                        processing_time_ms: number;
                        persons: {
                            id: number;
                            confidence: number;
                            bounding_box: {
                                x: number;
                                y: number;
                                width: number;
                                height: number;
                            };
                            keypoints: {
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
                                /** @description Parts that the camera sees, by number. Empty: no skeleton to draw. */
                                body_parts: {
                                    part_id: number;
                                    /** @enum {unknown} */
                                    part_name: "torso_back" | "torso_front" | "right_hand" | "left_hand" | "left_foot" | "right_foot" | "right_upper_leg_back" | "left_upper_leg_back" | "right_upper_leg_front" | "left_upper_leg_front" | "right_lower_leg_back" | "left_lower_leg_back" | "right_lower_leg_front" | "left_lower_leg_front" | "left_upper_arm_inner" | "right_upper_arm_inner" | "left_upper_arm_outer" | "right_upper_arm_outer" | "left_lower_arm_inner" | "right_lower_arm_inner" | "left_lower_arm_outer" | "right_lower_arm_outer" | "head_right" | "head_left";
                                    /** @description Places of the part that are seen: up to 16 pairs of U and V, spread over it. */
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
                        };
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    getPoseHistory: {
        parameters: {
            query?: {
                /** @description Where the range begins: ISO 8601, UTC where it does not say; a date is its midnight. */
                start_time?: string;
                /** @description Where the range ends, itself left out: as start_time. 90 days after it at most. */
                end_time?: string;
                /** @description So many frames at most. */
                limit?: number;
                /** @description This person alone. */
                person_id?: number;
                /** @description Persons below it are left out. */
                confidence_threshold?: number;
                /** @description next_cursor of the page before; with the same other parameters. */
                cursor?: string;
                /** @description Adds room metres and their error to persons and keypoints. */
                include_3d?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        poses: {
                            /** Format: date-time */
                            timestamp: string;
                            persons: {
                                id: number;
                                confidence: number;
                                bounding_box: {
                                    x: number;
                                    y: number;
                                    width: number;
                                    height: number;
                                };
                                keypoints: {
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
                                    /** @description Parts that the camera sees, by number. Empty: no skeleton to draw. */
                                    body_parts: {
                                        part_id: number;
                                        /** @enum {unknown} */
                                        part_name: "torso_back" | "torso_front" | "right_hand" | "left_hand" | "left_foot" | "right_foot" | "right_upper_leg_back" | "left_upper_leg_back" | "right_upper_leg_front" | "left_upper_leg_front" | "right_lower_leg_back" | "left_lower_leg_back" | "right_lower_leg_front" | "left_lower_leg_front" | "left_upper_arm_inner" | "right_upper_arm_inner" | "left_upper_arm_outer" | "right_upper_arm_outer" | "left_lower_arm_inner" | "right_lower_arm_inner" | "left_lower_arm_outer" | "right_lower_arm_outer" | "head_right" | "head_left";
                                        /** @description Places of the part that are seen: up to 16 pairs of U and V, spread over it. */
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
                            metadata: Record<string, never>;
                        }[];
                        pagination: {
                            total_count: number;
                            returned_count: number;
                            has_more: boolean;
                            next_cursor: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    postPoseQuery: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "query": {
                 *         "time_range": {
                 *           "start": "2026-03-01T00:00:00Z",
                 *           "end": "2026-03-08T00:00:00Z"
                 *         },
                 *         "filters": {
                 *           "person_count": {
                 *             "min": 1,
                 *             "max": 5
                 *           },
                 *           "confidence": {
                 *             "min": 0.5
                 *           },
                 *           "activity": [
                 *             "walking",
                 *             "standing"
                 *           ]
                 *         },
                 *         "aggregation": {
                 *           "type": "hourly_summary",
                 *           "metrics": [
                 *             "person_count",
                 *             "avg_confidence"
                 *           ]
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    query: {
                        time_range: {
                            /** Format: date-time */
                            start: string;
                            /** Format: date-time */
                            end: string;
                        };
                        filters?: {
                            /** @description Only frames with so many persons. */
                            person_count?: {
                                min?: number;
                                max?: number;
                            };
                            /** @description Persons below it do not count. */
                            confidence?: {
                                min: number;
                            };
                            /** @description Only results in which one of these took place. */
                            activity?: ("walking" | "standing" | "sitting" | "lying")[];
                        };
                        aggregation: {
                            /** @enum {unknown} */
                            type: "minute_summary" | "hourly_summary" | "daily_summary" | "weekly_summary";
                            /** @description Figures of each result; default: all. */
                            metrics?: ("person_count" | "avg_confidence")[];
                        };
                    };
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        results: {
                            /** Format: date-time */
                            timestamp: string;
                            /** @description Most persons at the same time. */
                            person_count?: number;
                            avg_confidence?: number;
                            /** @description Shares of the persons' time. */
                            activities: {
                                [key: string]: number;
                            };
                        }[];
                        query_metadata: {
                            execution_time_ms: number;
                            /** @description Stored rows that the database aggregated for this answer; none for one that was held. */
                            total_records_scanned: number;
                            cache_hit: boolean;
                        };
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    postPoseProcess: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "csi_data": {
                 *         "timestamp": "2026-03-01T12:00:00.020Z",
                 *         "antenna_data": [
                 *           [
                 *             {
                 *               "real": 26,
                 *               "imag": 0
                 *             },
                 *             {
                 *               "real": 25.5,
                 *               "imag": -4.5
                 *             },
                 *             {
                 *               "real": 23.9,
                 *               "imag": -8.8
                 *             },
                 *             {
                 *               "real": 21.5,
                 *               "imag": -12.4
                 *             },
                 *             {
                 *               "real": 18.4,
                 *               "imag": -15.3
                 *             },
                 *             {
                 *               "real": 15,
                 *               "imag": -17.2
                 *             },
                 *             {
                 *               "real": 11.6,
                 *               "imag": -18.2
                 *             },
                 *             {
                 *               "real": 8.3,
                 *               "imag": -18.4
                 *             },
                 *             {
                 *               "real": 5.5,
                 *               "imag": -17.9
                 *             },
                 *             {
                 *               "real": 3.3,
                 *               "imag": -17
                 *             },
                 *             {
                 *               "real": 1.8,
                 *               "imag": -15.9
                 *             },
                 *             {
                 *               "real": 0.8,
                 *               "imag": -14.9
                 *             },
                 *             {
                 *               "real": 0.3,
                 *               "imag": -14.2
                 *             },
                 *             {
                 *               "real": 0,
                 *               "imag": -14
                 *             },
                 *             {
                 *               "real": -0.3,
                 *               "imag": -14.2
                 *             },
                 *             {
                 *               "real": -0.8,
                 *               "imag": -14.9
                 *             },
                 *             {
                 *               "real": -1.8,
                 *               "imag": -15.9
                 *             },
                 *             {
                 *               "real": -3.3,
                 *               "imag": -17
                 *             },
                 *             {
                 *               "real": -5.5,
                 *               "imag": -17.9
                 *             },
                 *             {
                 *               "real": -8.3,
                 *               "imag": -18.4
                 *             },
                 *             {
                 *               "real": -11.6,
                 *               "imag": -18.2
                 *             },
                 *             {
                 *               "real": -15,
                 *               "imag": -17.2
                 *             },
                 *             {
                 *               "real": -18.4,
                 *               "imag": -15.3
                 *             },
                 *             {
                 *               "real": -21.5,
                 *               "imag": -12.4
                 *             },
                 *             {
                 *               "real": -23.9,
                 *               "imag": -8.8
                 *             },
                 *             {
                 *               "real": -25.5,
                 *               "imag": -4.5
                 *             },
                 *             {
                 *               "real": -26,
                 *               "imag": 0
                 *             },
                 *             {
                 *               "real": -25.5,
                 *               "imag": 4.5
                 *             },
                 *             {
                 *               "real": -23.9,
                 *               "imag": 8.8
                 *             },
                 *             {
                 *               "real": -21.5,
                 *               "imag": 12.4
                 *             },
                 *             {
                 *               "real": -18.4,
                 *               "imag": 15.3
                 *             },
                 *             {
                 *               "real": -15,
                 *               "imag": 17.2
                 *             },
                 *             {
                 *               "real": -11.6,
                 *               "imag": 18.2
                 *             },
                 *             {
                 *               "real": -8.3,
                 *               "imag": 18.4
                 *             },
                 *             {
                 *               "real": -5.5,
                 *               "imag": 17.9
                 *             },
                 *             {
                 *               "real": -3.3,
                 *               "imag": 17
                 *             },
                 *             {
                 *               "real": -1.8,
                 *               "imag": 15.9
                 *             },
                 *             {
                 *               "real": -0.8,
                 *               "imag": 14.9
                 *             },
                 *             {
                 *               "real": -0.3,
                 *               "imag": 14.2
                 *             },
                 *             {
                 *               "real": 0,
                 *               "imag": 14
                 *             },
                 *             {
                 *               "real": 0.3,
                 *               "imag": 14.2
                 *             },
                 *             {
                 *               "real": 0.8,
                 *               "imag": 14.9
                 *             },
                 *             {
                 *               "real": 1.8,
                 *               "imag": 15.9
                 *             },
                 *             {
                 *               "real": 3.3,
                 *               "imag": 17
                 *             },
                 *             {
                 *               "real": 5.5,
                 *               "imag": 17.9
                 *             },
                 *             {
                 *               "real": 8.3,
                 *               "imag": 18.4
                 *             },
                 *             {
                 *               "real": 11.6,
                 *               "imag": 18.2
                 *             },
                 *             {
                 *               "real": 15,
                 *               "imag": 17.2
                 *             },
                 *             {
                 *               "real": 18.4,
                 *               "imag": 15.3
                 *             },
                 *             {
                 *               "real": 21.5,
                 *               "imag": 12.4
                 *             },
                 *             {
                 *               "real": 23.9,
                 *               "imag": 8.8
                 *             },
                 *             {
                 *               "real": 25.5,
                 *               "imag": 4.5
                 *             }
                 *           ]
                 *         ],
                 *         "metadata": {
                 *           "router_id": "node-1",
                 *           "sampling_rate": 50,
                 *           "signal_strength": -48
                 *         }
                 *       },
                 *       "processing_options": {
                 *         "confidence_threshold": 0.3,
                 *         "max_persons": 4,
                 *         "enable_tracking": true,
                 *         "return_dense_pose": false
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description One frame, or a run of up to 4096 frames over 60 seconds: a pose takes some seconds of frames of all links. */
                    csi_data: {
                        /** Format: date-time */
                        timestamp: string;
                        /** @description For each antenna a value for each subcarrier, as the link sends them. */
                        antenna_data: {
                            real: number;
                            imag: number;
                        }[][];
                        metadata: {
                            /** @description Id of a link of the environment, or the sender that a link names. */
                            router_id: string;
                            /** @description Frames a second; times count, not this. */
                            sampling_rate?: number;
                            /** @description dBm */
                            signal_strength?: number;
                            /** @description Their indices, where the link has not been heard yet. */
                            subcarriers?: number[];
                            centre_mhz?: number;
                            bandwidth_mhz?: number;
                        };
                    } | {
                        /** Format: date-time */
                        timestamp: string;
                        /** @description For each antenna a value for each subcarrier, as the link sends them. */
                        antenna_data: {
                            real: number;
                            imag: number;
                        }[][];
                        metadata: {
                            /** @description Id of a link of the environment, or the sender that a link names. */
                            router_id: string;
                            /** @description Frames a second; times count, not this. */
                            sampling_rate?: number;
                            /** @description dBm */
                            signal_strength?: number;
                            /** @description Their indices, where the link has not been heard yet. */
                            subcarriers?: number[];
                            centre_mhz?: number;
                            bandwidth_mhz?: number;
                        };
                    }[];
                    processing_options?: {
                        /** @description Persons below it are left out. Default 0. */
                        confidence_threshold?: number;
                        /** @description The surest of each moment. Default: all. */
                        max_persons?: number;
                        /** @description Follows and numbers persons. Default: where the topology does. */
                        enable_tracking?: boolean;
                        /** @description Default: false. Of 100 moments at most. */
                        return_dense_pose?: boolean;
                    };
                    /** @description A name of your own: calls of the same name go on with windows and tracks. Ends after 60 s. */
                    session_id?: string;
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            processing_id: string;
                            /**
                             * @description `insufficient_data`: the frames make no window yet, so nothing was inferred.
                             * @enum {unknown}
                             */
                            status: "completed" | "insufficient_data";
                            processing_time_ms: number;
                            /** @description Persons of each moment, oldest first. */
                            poses: {
                                /** Format: date-time */
                                timestamp: string;
                                frame_id: number;
                                person_id: number;
                                track_id: number;
                                confidence: number;
                                bounding_box: {
                                    x: number;
                                    y: number;
                                    width: number;
                                    height: number;
                                };
                                keypoints: {
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
                            }[];
                            metadata: {
                                environment_id: string;
                                /** @description With what it was trained on; `none` where nothing was inferred. */
                                model_version: string;
                                processing_mode: string;
                                /** @description Share of the windows, over all links of the environment, that frames cover. */
                                csi_quality: number;
                                /** @description That the network was asked about: moments with a result. */
                                windows: number;
                                frames_taken: number;
                                /** @description By reason, over the whole session: late, other_layout, not_finite. */
                                frames_dropped: {
                                    [key: string]: number;
                                };
                                /** @description Time that the frames of the call or session cover. */
                                held_ms: number;
                                /** @description Time that they must cover until a first window is sure to be there. */
                                needed_ms: number;
                                tracking: boolean;
                                session_id: string | null;
                                session_continued: boolean;
                                /** @description What the answer is worth, in words. */
                                note: string;
                            };
                        };
                        /** Format: date-time */
                        timestamp: string;
                        request_id: string;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    getPoseTrackingTrackId: {
        parameters: {
            query?: {
                /** @description Where the range begins: ISO 8601, UTC where it does not say; a date is its midnight. */
                start_time?: string;
                /** @description Where the range ends, itself left out: as start_time. 90 days after it at most. */
                end_time?: string;
                /** @description Default: the environment that the configuration names. */
                environment_id?: string;
                /** @description Whether the track has its trajectory. */
                include_trajectory?: boolean;
            };
            header?: never;
            path: {
                /** @description This track alone. */
                track_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            track_id: number;
                            person_id: number;
                            /** Format: date-time */
                            first_seen: string;
                            /** Format: date-time */
                            last_seen: string;
                            duration_seconds: number;
                            total_frames: number;
                            average_confidence: number;
                            /** @enum {unknown} */
                            status: "tentative" | "active" | "lost" | "ended";
                            trajectory?: {
                                /** Format: date-time */
                                timestamp: string;
                                center_x: number;
                                center_y: number;
                                confidence: number;
                            }[];
                            statistics: {
                                /** @description Metres walked: between places seen while moving. */
                                movement_distance: number;
                                /** @description Metres a second over the whole track. */
                                average_speed: number;
                                /** @description Seconds. */
                                time_stationary: number;
                                /** @description Seconds at 0.2 m/s or faster. */
                                time_moving: number;
                            };
                        };
                        /** Format: date-time */
                        timestamp: string;
                        request_id: string;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    getAnalyticsEvents: {
        parameters: {
            query?: {
                /** @description Where the range begins: ISO 8601, UTC where it does not say; a date is its midnight. */
                start_time?: string;
                /** @description Where the range ends, itself left out: as start_time. 90 days after it at most. */
                end_time?: string;
                /** @description fall, alert (what somebody is told of), or activity (all else). */
                event_type?: "fall" | "alert" | "activity";
                /** @description Of this severity alone. */
                severity?: "low" | "medium" | "high" | "critical";
                /** @description Default: the environment that the configuration names. */
                environment_id?: string;
                /** @description Adds to `metadata` what is known of this type of event: a zone's name, seconds. */
                include_details?: boolean;
                /** @description From 1. */
                page?: number;
                /** @description So many of the list on a page. */
                per_page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            event_id: string;
                            type: string;
                            severity: string;
                            /** Format: date-time */
                            timestamp: string;
                            environment_id: string;
                            person_id: number | null;
                            track_id: number | null;
                            confidence: number;
                            /** @description Metres on the floor; 0, 0 of an event without a place. */
                            location: {
                                x: number;
                                y: number;
                            };
                            /** @description With include_details=true also what its type has. */
                            metadata: {
                                /** @description Seconds; 0 where it was not measured. */
                                fall_duration: number;
                                /** @description 0 to 1; 0 where it was not measured. */
                                impact_severity: number;
                                /** @description False where it was not watched for. */
                                recovery_detected: boolean;
                            } & {
                                [key: string]: unknown;
                            };
                            /** @description Empty: what people do about an event is not told to csiflow. */
                            actions_taken: string[];
                        }[];
                        pagination: {
                            page: number;
                            per_page: number;
                            total: number;
                            total_pages: number;
                            has_next: boolean;
                            has_prev: boolean;
                        };
                        /** Format: date-time */
                        timestamp: string;
                        request_id: string;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    getAnalyticsHealthcare: {
        parameters: {
            query?: {
                /** @description The running one, in the time zone of the environment; weeks begin on Monday. */
                period?: "hour" | "day" | "week" | "month";
                /** @description Which ones, separated by commas: fall_events, activity_summary, mobility_score, sleep_quality. Default: all. */
                metrics?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        period: string;
                        /** @description Local date of the period's start. */
                        date: string;
                        metrics: {
                            fall_events?: {
                                /** @description Falls. */
                                count: number;
                                /** @description The oldest first, 1,000 at most. */
                                events: {
                                    /** Format: date-time */
                                    timestamp: string;
                                    /** @description 0 where it is not known who fell. */
                                    person_id: number;
                                    severity: string;
                                    /** @description Until somebody else came in, within an hour; 0 where nobody did. */
                                    response_time_seconds: number;
                                    /** @description Metres on the floor; 0, 0 of an event without a place. */
                                    location: {
                                        x: number;
                                        y: number;
                                    };
                                }[];
                            };
                            activity_summary?: {
                                /** @description Of all persons together. */
                                walking_minutes: number;
                                /** @description Of all persons together. */
                                sitting_minutes: number;
                                /** @description Of all persons together. */
                                lying_minutes: number;
                                /** @description Of all persons together. */
                                standing_minutes: number;
                            };
                            /** @description Share of the time in sight, without that lying, in which people moved. */
                            mobility_score?: number;
                            sleep_quality?: {
                                /** @description Lying still in a zone of the kind `bed`. */
                                total_sleep_hours: number;
                                /** @description Share of that of the time in bed. */
                                sleep_efficiency: number;
                                /** @description Minutes in which somebody moved in bed. */
                                restlessness_events: number;
                            };
                        };
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    getAnalyticsRetail: {
        parameters: {
            query?: {
                /** @description The running one, in the time zone of the environment; weeks begin on Monday. */
                period?: "hour" | "day" | "week" | "month";
                /** @description Which ones, separated by commas: traffic, zones, conversion_funnel, heat_map. Default: all. */
                metrics?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        period: string;
                        /** @description Local date of the period's start. */
                        date: string;
                        metrics: {
                            traffic?: {
                                /** @description Visits: who comes twice counts twice. */
                                total_visitors: number;
                                /** @description Persons told apart. */
                                unique_visitors: number;
                                /** @description Local hour of most persons, `14:00-15:00`; empty without any. */
                                peak_hour: string;
                                /** @description Persons in that hour. */
                                peak_count: number;
                                /** @description Of a visit. */
                                average_dwell_time_minutes: number;
                            };
                            zones?: {
                                zone_id: string;
                                zone_name: string;
                                /** @description Visitors; who comes to it again during one visit of the place counts once. */
                                visitor_count: number;
                                /** @description Of a visitor, in the zone. */
                                avg_dwell_time_minutes: number;
                                /** @description Share of its visitors who went on to a zone of the stage `purchase`. */
                                conversion_rate: number;
                            }[];
                            /** @description How many persons came to a zone of this stage or a later one. */
                            conversion_funnel?: {
                                /** @description Persons. */
                                entrance: number;
                                /** @description Persons. */
                                product_interaction: number;
                                /** @description Persons. */
                                checkout_area: number;
                                /** @description Persons. */
                                purchase: number;
                            };
                            heat_map?: {
                                /** @description Zones in which anybody was, the most frequented first. */
                                high_traffic_areas: {
                                    /** @description Id of the zone. */
                                    zone: string;
                                    /** @description Share of all persons' time. */
                                    intensity: number;
                                }[];
                            };
                        };
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    getAnalyticsSecurity: {
        parameters: {
            query?: {
                /** @description The running one, in the time zone of the environment; weeks begin on Monday. */
                period?: "hour" | "day" | "week" | "month";
                /** @description Which ones, separated by commas: intrusion_events, perimeter_monitoring, crowd_analysis. Default: all. */
                metrics?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        period: string;
                        /** @description Local date of the period's start. */
                        date: string;
                        metrics: {
                            intrusion_events?: {
                                /** @description Intrusions. */
                                count: number;
                                /** @description The oldest first, 1,000 at most. */
                                events: {
                                    /** Format: date-time */
                                    timestamp: string;
                                    /** @description Id of the zone; of the environment where that is guarded. */
                                    zone: string;
                                    /** @description Persons in it when it began. */
                                    person_count: number;
                                    threat_level: string;
                                    /** @description Until no more were there than may be; 0 while it lasts. */
                                    response_time_seconds: number;
                                }[];
                            };
                            perimeter_monitoring?: {
                                /** @description Entries of zones of the kind `perimeter`. */
                                total_detections: number;
                                /** @description Of them, at hours and in numbers that are authorised. */
                                authorized_entries: number;
                                /** @description All others. */
                                unauthorized_attempts: number;
                                /** @description Entries that began and ended out of nothing within 5 s: also among the others. */
                                false_positives: number;
                            };
                            crowd_analysis?: {
                                /** @description Persons at a time. */
                                max_occupancy: number;
                                /** @description Over the time that was observed. */
                                average_occupancy: number;
                                /** @description Times that `crowd_persons` of the environment were reached. */
                                crowd_formation_events: number;
                            };
                        };
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    getAnalyticsSummary: {
        parameters: {
            query: {
                /** @description Where the range begins: ISO 8601, UTC where it does not say; a date is its midnight. */
                start_time: string;
                /** @description Where the range ends, itself left out: as start_time. 90 days after it at most. */
                end_time: string;
                /** @description Default: the environment that the configuration names. */
                environment_id?: string;
                /** @description What hourly_breakdown is broken down by. */
                granularity?: "hour" | "day" | "week";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            time_period: {
                                /** Format: date-time */
                                start: string;
                                /** Format: date-time */
                                end: string;
                                duration_hours: number;
                            };
                            detection_stats: {
                                /** @description Persons in all frames together. */
                                total_detections: number;
                                /** @description Persons told apart. */
                                unique_persons: number;
                                average_confidence: number;
                                /** @description Persons at a time. */
                                peak_occupancy: number;
                                /**
                                 * Format: date-time
                                 * @description The first minute of that; the range's start where nobody was there.
                                 */
                                peak_occupancy_time: string;
                            };
                            activity_stats: {
                                /** @description Zones entered and left, activities changed. */
                                total_movement_events: number;
                                /** @description Falls. */
                                fall_detections: number;
                                /** @description Events that somebody is told of, falls among them. */
                                alert_count: number;
                                /** @description Share of the persons' time in which they moved. */
                                average_activity_level: number;
                            };
                            system_stats: {
                                uptime_percentage: number;
                                /** @description Mean inference time of a frame, milliseconds; 0 without frames. */
                                average_processing_time: number;
                                /** @description Pose frames. */
                                frames_processed: number;
                                /** @description Dead letters of the topology that failed last in this range. */
                                error_count: number;
                            };
                            /** @description Without those in which there were no frames. */
                            hourly_breakdown: {
                                /**
                                 * Format: date-time
                                 * @description Start of the local hour, day or week.
                                 */
                                hour: string;
                                /** @description As above. */
                                detections: number;
                                /** @description As above. */
                                unique_persons: number;
                                average_confidence: number;
                            }[];
                        };
                        /** Format: date-time */
                        timestamp: string;
                        request_id: string;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    getAnalyticsOccupancy: {
        parameters: {
            query: {
                /** @description Where the range begins: ISO 8601, UTC where it does not say; a date is its midnight. */
                start_time: string;
                /** @description Where the range ends, itself left out: as start_time. 90 days after it at most. */
                end_time: string;
                /** @description Default: the environment that the configuration names. */
                environment_id?: string;
                /** @description Length of a step of time_series. */
                interval?: "5min" | "15min" | "1hour";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            summary: {
                                /** @description Over the time that was observed. */
                                average_occupancy: number;
                                peak_occupancy: number;
                                /**
                                 * Format: date-time
                                 * @description The first minute of that; the range's start where nobody was there.
                                 */
                                peak_time: string;
                                total_person_hours: number;
                            };
                            /** @description Without intervals that were not observed. */
                            time_series: {
                                /** Format: date-time */
                                timestamp: string;
                                /** @description The mean, rounded. */
                                occupancy: number;
                                confidence: number;
                            }[];
                            /** @description Percent of the time that was observed. */
                            distribution: {
                                "0_persons": number;
                                "1_person": number;
                                "2_persons": number;
                                "3_persons": number;
                                "4_plus_persons": number;
                            };
                        };
                        /** Format: date-time */
                        timestamp: string;
                        request_id: string;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    getAnalyticsMeasures: {
        parameters: {
            query: {
                /** @description Where the range begins: ISO 8601, UTC where it does not say; a date is its midnight. */
                start_time: string;
                /** @description Where the range ends, itself left out: as start_time. 90 days after it at most. */
                end_time: string;
                /** @description Default: the environment that the configuration names. */
                environment_id?: string;
                /** @description Names of measures, 20 at most: `breathing_rate_bpm,presence_seconds`. */
                names: string;
                /** @description Length of a step of time_series. */
                interval?: "1min" | "5min" | "15min" | "1hour";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        /** @description Oldest first, without intervals in which nothing was measured. */
                        data: {
                            name: string;
                            /** @description A zone or a person, say; null: the environment. */
                            subject: string | null;
                            /** Format: date-time */
                            timestamp: string;
                            count: number;
                            sum: number;
                            min: number;
                            max: number;
                        }[];
                        /** Format: date-time */
                        timestamp: string;
                        request_id: string;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    getAlerts: {
        parameters: {
            query?: {
                /** @description Default: a day before now. */
                start_time?: string;
                /** @description Where the range ends, itself left out: as start_time. 90 days after it at most. */
                end_time?: string;
                /** @description Default: all environments. */
                environment_id?: string;
                /** @description So many frames at most. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            alert_id: string;
                            /** Format: date-time */
                            timestamp: string;
                            /** @enum {unknown} */
                            alert_type: "fall_detection" | "inactivity" | "intrusion" | "crowd" | "zone_entered" | "zone_left" | "activity_changed" | "fall_suspected" | "fall_withdrawn";
                            /** @enum {unknown} */
                            severity: "low" | "medium" | "high" | "critical";
                            environment_id: string;
                            person_id: number | null;
                            confidence: number;
                            location: {
                                x: number;
                                y: number;
                            } | null;
                            /** @enum {unknown} */
                            origin: "live" | "replay" | "simulated";
                            /** @description A path of this service. */
                            video_clip_url: string;
                            acknowledgement: {
                                alert_id: string;
                                /** @description Name of the account that was first. */
                                acknowledged_by: string;
                                /** Format: date-time */
                                acknowledged_at: string;
                            } | null;
                        }[];
                        /** Format: date-time */
                        timestamp: string;
                        request_id: string;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    postAlertsTimestampAlertIdAcknowledgement: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Of the alert. */
                timestamp: string;
                /** @description Of the alert. */
                alert_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            alert_id: string;
                            /** @description Name of the account that was first. */
                            acknowledged_by: string;
                            /** Format: date-time */
                            acknowledged_at: string;
                        };
                        /** Format: date-time */
                        timestamp: string;
                        request_id: string;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    getAlertsTimestampAlertIdClip: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Of the alert. */
                timestamp: string;
                /** @description Of the alert. */
                alert_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    getSystemStatus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: string;
                        uptime_seconds: number;
                        version: string;
                        components: {
                            csi_receiver: {
                                status: string;
                                data_rate_hz: number;
                                packet_loss_rate: number;
                                /** Format: date-time */
                                last_packet_time: string;
                            };
                            neural_network: {
                                status: string;
                                model_loaded: boolean;
                                inference_time_ms: number;
                                gpu_utilization: number;
                            };
                            tracking: {
                                status: string;
                                active_tracks: number;
                                track_quality: number;
                            };
                        };
                        hardware: {
                            cpu_usage: number;
                            memory_usage: number;
                            gpu_memory_usage: number;
                            disk_usage: number;
                        };
                        network: {
                            connected_routers: number;
                            signal_strength: number;
                            interference_level: number;
                        };
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    getSystemSteps: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            status: string;
                            session_id: string;
                            steps: {
                                step: string;
                                status: string;
                                progress: number;
                            }[];
                        };
                        /** Format: date-time */
                        timestamp: string;
                        request_id: string;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    postSystemStart: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "configuration": {
                 *         "domain": "healthcare",
                 *         "calibration_required": false
                 *       }
                 *     }
                 */
                "application/json": {
                    configuration?: {
                        /**
                         * @description What the deployment is for: it decides what alerts ask people to do.
                         * @enum {unknown}
                         */
                        domain?: "healthcare" | "general" | "retail" | "security";
                        /** @description The environment that calls without an `environment_id` are about. */
                        environment_id?: string;
                        /** @description Start only where the pose networks, and the nodes that calibrate frames, have a calibration of their room. */
                        calibration_required?: boolean;
                    };
                };
            };
        };
        responses: {
            /** @description The answer. */
            202: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: string;
                        /** Format: date-time */
                        estimated_ready_time: string;
                        initialization_steps: {
                            step: string;
                            status: string;
                            progress: number;
                        }[];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    postSystemStop: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "force": false,
                 *       "save_state": true
                 *     }
                 */
                "application/json": {
                    force?: boolean;
                    save_state?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer. */
            202: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: string;
                        /** Format: date-time */
                        estimated_stop_time: string;
                        shutdown_steps: {
                            step: string;
                            status: string;
                            progress: number;
                        }[];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    postSystemRestart: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            202: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            status: string;
                            previous_session_id: string;
                            new_session_id: string;
                            estimated_restart_time: number;
                        };
                        /** Format: date-time */
                        timestamp: string;
                        request_id: string;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    getConfig: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description The version that is answered. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description What the deployment is for: it decides what alerts ask people to do.
                         * @enum {unknown}
                         */
                        domain: "healthcare" | "general" | "retail" | "security";
                        environment: {
                            /** @description The environment that calls without an `environment_id` are about. */
                            id: string;
                            /** @description The environment's name for people. */
                            name: string;
                            /**
                             * Format: date-time
                             * @description When the empty room was measured; 1970 where it was not. Cannot be set.
                             */
                            calibration_timestamp: string;
                        };
                        detection: {
                            /** @description Persons below it are not told of. */
                            confidence_threshold: number;
                            /** @description So many persons are told of at most. */
                            max_persons: number;
                            /** @description Whether persons are followed from frame to frame, and numbered. */
                            tracking_enabled: boolean;
                        };
                        alerts: {
                            fall_detection: {
                                /** @description Whether falls are looked for. */
                                enabled: boolean;
                                /** @description Falls of a confidence of at least 1 - sensitivity are reported. */
                                sensitivity: number;
                                /** @description A fall is held back for so long, and left out if the person walks again meanwhile. */
                                notification_delay_seconds: number;
                            };
                            inactivity_detection: {
                                /** @description Whether inactivity is looked for. */
                                enabled: boolean;
                                /** @description Time without motion until it is told of, minutes. */
                                threshold_minutes: number;
                            };
                        };
                        streaming: {
                            /** @description Whether `kafka` sinks pass results on to other systems. */
                            restream_enabled: boolean;
                            /** @description Whether /ws/pose takes clients. */
                            websocket_enabled: boolean;
                            /** @description Whether `mqtt` sinks publish. */
                            mqtt_enabled: boolean;
                        };
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    putConfig: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETags, or *: it is done only where one of them is the version that is there, else answered 412. */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "detection": {
                 *         "confidence_threshold": 0.5
                 *       },
                 *       "alerts": {
                 *         "fall_detection": {
                 *           "enabled": true
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    /**
                     * @description What the deployment is for: it decides what alerts ask people to do.
                     * @enum {unknown}
                     */
                    domain?: "healthcare" | "general" | "retail" | "security";
                    environment?: {
                        /** @description The environment that calls without an `environment_id` are about. */
                        id?: string;
                        /** @description The environment's name for people. */
                        name?: string;
                        /**
                         * Format: date-time
                         * @description When the empty room was measured; 1970 where it was not. Cannot be set.
                         */
                        calibration_timestamp?: string;
                    };
                    detection?: {
                        /** @description Persons below it are not told of. */
                        confidence_threshold?: number;
                        /** @description So many persons are told of at most. */
                        max_persons?: number;
                        /** @description Whether persons are followed from frame to frame, and numbered. */
                        tracking_enabled?: boolean;
                    };
                    alerts?: {
                        fall_detection?: {
                            /** @description Whether falls are looked for. */
                            enabled?: boolean;
                            /** @description Falls of a confidence of at least 1 - sensitivity are reported. */
                            sensitivity?: number;
                            /** @description A fall is held back for so long, and left out if the person walks again meanwhile. */
                            notification_delay_seconds?: number;
                        };
                        inactivity_detection?: {
                            /** @description Whether inactivity is looked for. */
                            enabled?: boolean;
                            /** @description Time without motion until it is told of, minutes. */
                            threshold_minutes?: number;
                        };
                    };
                    streaming?: {
                        /** @description Whether `kafka` sinks pass results on to other systems. */
                        restream_enabled?: boolean;
                        /** @description Whether /ws/pose takes clients. */
                        websocket_enabled?: boolean;
                        /** @description Whether `mqtt` sinks publish. */
                        mqtt_enabled?: boolean;
                    };
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description The version that is answered. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "updated";
                        changes_applied: string[];
                        restart_required: boolean;
                        validation_warnings: string[];
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            412: components["responses"]["Error412"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    getConfigSchema: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            schema: Record<string, never>;
                            defaults: {
                                /**
                                 * @description What the deployment is for: it decides what alerts ask people to do.
                                 * @enum {unknown}
                                 */
                                domain: "healthcare" | "general" | "retail" | "security";
                                /** @description The environment that calls without an `environment_id` are about. */
                                environment_id: string;
                                detection: {
                                    /** @description Persons below it are not told of. */
                                    confidence_threshold: number;
                                    /** @description So many persons are told of at most. */
                                    max_persons: number;
                                    /** @description Whether persons are followed from frame to frame, and numbered. */
                                    enable_tracking: boolean;
                                    /** @description Pose frames out of sight until a track ends. */
                                    tracking_max_age: number;
                                    /** @description Pose frames in a row until a track is active. */
                                    tracking_min_hits: number;
                                };
                                neural_network: {
                                    /** @description Name and version of the pose network. Cannot be set. */
                                    model_version: string;
                                    /** @description Windows that are computed together at most. */
                                    batch_size: number;
                                    /** @description Whether the network is computed on a GPU where there is one. */
                                    enable_gpu: boolean;
                                    /** @description A window whose inference takes longer has failed, milliseconds. */
                                    inference_timeout: number;
                                };
                                hardware: {
                                    /** @description Frames of a link a second: of the simulator as set, of hardware as measured. */
                                    csi_sampling_rate: number;
                                    /** @description Batches, of 64 frames at most, that may wait behind a source. */
                                    buffer_size: number;
                                    /** @description Receive antennas of a link, as the newest frames have them. Cannot be set. */
                                    antenna_count: number;
                                    /** @description Subcarriers of a frame, as the newest frames have them. Cannot be set. */
                                    subcarrier_count: number;
                                };
                                analytics: {
                                    /** @description Whether falls are looked for. */
                                    enable_fall_detection: boolean;
                                    alert_thresholds: {
                                        /** @description Falls of at least this confidence are reported. */
                                        fall_confidence: number;
                                        /** @description Time without motion until it is told of, seconds. */
                                        inactivity_timeout: number;
                                    };
                                    /** @description Whether it is told what people do: walk, stand, sit, lie. */
                                    enable_activity_recognition: boolean;
                                };
                                privacy: {
                                    /** @description Stores delete what is older, by event time; 0: nothing is deleted. */
                                    data_retention_days: number;
                                    /** @description Whether sinks get pseudonyms, no skeletons, and positions on a grid. */
                                    anonymize_data: boolean;
                                    /** @description Whether stores and state are encrypted on disk. With the next start, what lies there is written anew. */
                                    enable_encryption: boolean;
                                };
                            };
                        };
                        /** Format: date-time */
                        timestamp: string;
                        request_id: string;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    getConfigHistory: {
        parameters: {
            query?: {
                /** @description From 1. */
                page?: number;
                /** @description So many of the list on a page. */
                per_page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            revision: number;
                            /** Format: date-time */
                            timestamp: string;
                            account: string;
                            /** @enum {unknown} */
                            action: "change" | "undo";
                            undoes: number | null;
                            undone_by: number | null;
                            changes: {
                                field: string;
                                from: unknown;
                                to: unknown;
                            }[];
                        }[];
                        pagination: {
                            page: number;
                            per_page: number;
                            total: number;
                            total_pages: number;
                            has_next: boolean;
                            has_prev: boolean;
                        };
                        /** Format: date-time */
                        timestamp: string;
                        request_id: string;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    postConfigUndo: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETags, or *: it is done only where one of them is the version that is there, else answered 412. */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description The version that is answered. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            undone_revision: number;
                            updated_fields: string[];
                            requires_restart: boolean;
                            /** Format: date-time */
                            applied_at: string;
                            configuration: {
                                /**
                                 * @description What the deployment is for: it decides what alerts ask people to do.
                                 * @enum {unknown}
                                 */
                                domain: "healthcare" | "general" | "retail" | "security";
                                /** @description The environment that calls without an `environment_id` are about. */
                                environment_id: string;
                                detection: {
                                    /** @description Persons below it are not told of. */
                                    confidence_threshold: number;
                                    /** @description So many persons are told of at most. */
                                    max_persons: number;
                                    /** @description Whether persons are followed from frame to frame, and numbered. */
                                    enable_tracking: boolean;
                                    /** @description Pose frames out of sight until a track ends. */
                                    tracking_max_age: number;
                                    /** @description Pose frames in a row until a track is active. */
                                    tracking_min_hits: number;
                                };
                                neural_network: {
                                    /** @description Name and version of the pose network. Cannot be set. */
                                    model_version: string;
                                    /** @description Windows that are computed together at most. */
                                    batch_size: number;
                                    /** @description Whether the network is computed on a GPU where there is one. */
                                    enable_gpu: boolean;
                                    /** @description A window whose inference takes longer has failed, milliseconds. */
                                    inference_timeout: number;
                                };
                                hardware: {
                                    /** @description Frames of a link a second: of the simulator as set, of hardware as measured. */
                                    csi_sampling_rate: number;
                                    /** @description Batches, of 64 frames at most, that may wait behind a source. */
                                    buffer_size: number;
                                    /** @description Receive antennas of a link, as the newest frames have them. Cannot be set. */
                                    antenna_count: number;
                                    /** @description Subcarriers of a frame, as the newest frames have them. Cannot be set. */
                                    subcarrier_count: number;
                                };
                                analytics: {
                                    /** @description Whether falls are looked for. */
                                    enable_fall_detection: boolean;
                                    alert_thresholds: {
                                        /** @description Falls of at least this confidence are reported. */
                                        fall_confidence: number;
                                        /** @description Time without motion until it is told of, seconds. */
                                        inactivity_timeout: number;
                                    };
                                    /** @description Whether it is told what people do: walk, stand, sit, lie. */
                                    enable_activity_recognition: boolean;
                                };
                                privacy: {
                                    /** @description Stores delete what is older, by event time; 0: nothing is deleted. */
                                    data_retention_days: number;
                                    /** @description Whether sinks get pseudonyms, no skeletons, and positions on a grid. */
                                    anonymize_data: boolean;
                                    /** @description Whether stores and state are encrypted on disk. With the next start, what lies there is written anew. */
                                    enable_encryption: boolean;
                                };
                            };
                        };
                        /** Format: date-time */
                        timestamp: string;
                        request_id: string;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            412: components["responses"]["Error412"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    getTopologies: {
        parameters: {
            query?: {
                /** @description From 1. */
                page?: number;
                /** @description So many of the list on a page. */
                per_page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            id: string;
                            status: string;
                            problem: string | null;
                            main: boolean;
                        }[];
                        pagination: {
                            page: number;
                            per_page: number;
                            total: number;
                            total_pages: number;
                            has_next: boolean;
                            has_prev: boolean;
                        };
                        /** Format: date-time */
                        timestamp: string;
                        request_id: string;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    getTopologiesId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description As its list shows it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            id: string;
                            status: string;
                            problem: string | null;
                            nodes: {
                                id: string;
                                type: string;
                                kind: string;
                                status: string;
                                received: number;
                                sent: number;
                                /** @description By reason. Each record counts once, so reasons can be summed. */
                                dropped: {
                                    [key: string]: number;
                                };
                                /** @description Frames that the senders' numbers say were sent, and that were not decoded: lost on the way, or dropped before. */
                                missing: number;
                                failed: number;
                                queue_depth: number;
                                /** @description Records that wait in the outbox of a sink. */
                                undelivered: number;
                                last_record: string | null;
                                details: Record<string, never>;
                            }[];
                        };
                        /** Format: date-time */
                        timestamp: string;
                        request_id: string;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    putTopologiesId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description As its list shows it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The topology's new YAML. */
                    topology: string;
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            id: string;
                            status: string;
                            problem: string | null;
                            nodes: {
                                id: string;
                                type: string;
                                kind: string;
                                status: string;
                                received: number;
                                sent: number;
                                /** @description By reason. Each record counts once, so reasons can be summed. */
                                dropped: {
                                    [key: string]: number;
                                };
                                /** @description Frames that the senders' numbers say were sent, and that were not decoded: lost on the way, or dropped before. */
                                missing: number;
                                failed: number;
                                queue_depth: number;
                                /** @description Records that wait in the outbox of a sink. */
                                undelivered: number;
                                last_record: string | null;
                                details: Record<string, never>;
                            }[];
                        };
                        /** Format: date-time */
                        timestamp: string;
                        request_id: string;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    deleteTopologiesId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description As its list shows it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; nothing to say. */
            204: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    postTopologiesIdStart: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description As its list shows it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            202: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            id: string;
                            status: string;
                            session_id: string;
                            steps: {
                                step: string;
                                status: string;
                                progress: number;
                            }[];
                        };
                        /** Format: date-time */
                        timestamp: string;
                        request_id: string;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    postTopologiesIdStop: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description As its list shows it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    force?: boolean;
                    save_state?: boolean;
                };
            };
        };
        responses: {
            /** @description The answer. */
            202: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            id: string;
                            status: string;
                            session_id: string;
                            steps: {
                                step: string;
                                status: string;
                                progress: number;
                            }[];
                        };
                        /** Format: date-time */
                        timestamp: string;
                        request_id: string;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    postTopologiesIdRestart: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description As its list shows it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            202: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            id: string;
                            status: string;
                            session_id: string;
                            steps: {
                                step: string;
                                status: string;
                                progress: number;
                            }[];
                        };
                        /** Format: date-time */
                        timestamp: string;
                        request_id: string;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    getTopologiesIdGraph: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description As its list shows it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            nodes: {
                                id: string;
                                type: string;
                                kind: string;
                            }[];
                            edges: {
                                from: string;
                                to: string;
                                ports: string[];
                            }[];
                            mermaid: string;
                        };
                        /** Format: date-time */
                        timestamp: string;
                        request_id: string;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    postTopologiesIdPlan: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description As its list shows it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The topology's new YAML. */
                    topology: string;
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            hash: string;
                            changes: {
                                node: string;
                                /** @enum {unknown} */
                                change: "added" | "removed" | "changed" | "unchanged";
                                /** @enum {unknown} */
                                state: "kept" | "migrated" | "dropped" | "none";
                                fields: string[];
                            }[];
                        };
                        /** Format: date-time */
                        timestamp: string;
                        request_id: string;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    postTopologiesIdApply: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description As its list shows it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The topology's new YAML. */
                    topology: string;
                    hash: string;
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            id: string;
                            status: string;
                            problem: string | null;
                            nodes: {
                                id: string;
                                type: string;
                                kind: string;
                                status: string;
                                received: number;
                                sent: number;
                                /** @description By reason. Each record counts once, so reasons can be summed. */
                                dropped: {
                                    [key: string]: number;
                                };
                                /** @description Frames that the senders' numbers say were sent, and that were not decoded: lost on the way, or dropped before. */
                                missing: number;
                                failed: number;
                                queue_depth: number;
                                /** @description Records that wait in the outbox of a sink. */
                                undelivered: number;
                                last_record: string | null;
                                details: Record<string, never>;
                            }[];
                        };
                        /** Format: date-time */
                        timestamp: string;
                        request_id: string;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    getTopologiesIdLinks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description As its list shows it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            links: {
                                id: string;
                                environment_id: string;
                                /** @description As the environment file names it. */
                                sender: string;
                                /** @description Of the newest whole second; 0 after five silent seconds; null where it is not known. */
                                frames_per_second: number | null;
                                /** @description Share of the sender's frames that did not come, 0 to 1; null where it is not known. */
                                loss: number | null;
                                /** @description Mean of the newest whole second; null where it is not known. */
                                rssi_dbm: number | null;
                                /** @description Mean of the newest whole second; null where it is not known. */
                                noise_dbm: number | null;
                                /** @description Of the newest window; null where it is not known. */
                                snr_db: number | null;
                                last_frame: string | null;
                                /** @description Whether results are made with it. */
                                counts: boolean;
                                /** @description Why it does not count, and what to look at. */
                                reason: string | null;
                            }[];
                            unknown_senders: {
                                /** @description The source that heard it. */
                                node: string;
                                sender: string;
                                frames: number;
                                last_frame: string;
                                /** @description What a link of the environment file must say to take its frames. */
                                line: string;
                            }[];
                        };
                        /** Format: date-time */
                        timestamp: string;
                        request_id: string;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    getTopologiesIdNodesNodeRecords: {
        parameters: {
            query?: {
                /** @description Records at most. */
                limit?: number;
                /** @description How long is waited for so many. */
                wait_ms?: number;
                /** @description Leave out what comes sooner than this after the last record that was taken. */
                every_ms?: number;
            };
            header?: never;
            path: {
                /** @description As its list shows it. */
                id: string;
                /** @description Id of a node, as the graph of its topology shows it. */
                node: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            node: string;
                            records: ({
                                port: string;
                                /** Format: date-time */
                                time: string;
                            } & {
                                [key: string]: unknown;
                            })[];
                            left_out: number;
                        };
                        /** Format: date-time */
                        timestamp: string;
                        request_id: string;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    getWebhooks: {
        parameters: {
            query?: {
                /** @description From 1. */
                page?: number;
                /** @description So many of the list on a page. */
                per_page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            id: string;
                            url: string;
                            /**
                             * @description Types of events that are sent.
                             * @default [
                             *       "fall_detection",
                             *       "inactivity",
                             *       "intrusion",
                             *       "crowd"
                             *     ]
                             */
                            events: ("fall_detection" | "inactivity" | "intrusion" | "crowd" | "zone_entered" | "zone_left" | "activity_changed" | "fall_suspected" | "fall_withdrawn")[];
                            /** Format: date-time */
                            created_at: string;
                        }[];
                        pagination: {
                            page: number;
                            per_page: number;
                            total: number;
                            total_pages: number;
                            has_next: boolean;
                            has_prev: boolean;
                        };
                        /** Format: date-time */
                        timestamp: string;
                        request_id: string;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    postWebhooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://alarms.example/csiflow",
                 *       "events": [
                 *         "fall_detection"
                 *       ],
                 *       "secret": "at least 16 letters"
                 *     }
                 */
                "application/json": {
                    /** @description Where alerts are sent. Only administrators see it again. */
                    url: string;
                    /**
                     * @description Types of events that are sent.
                     * @default [
                     *       "fall_detection",
                     *       "inactivity",
                     *       "intrusion",
                     *       "crowd"
                     *     ]
                     */
                    events?: ("fall_detection" | "inactivity" | "intrusion" | "crowd" | "zone_entered" | "zone_left" | "activity_changed" | "fall_suspected" | "fall_withdrawn")[];
                    /** @description Key that calls are signed with; it is not shown again. */
                    secret: string;
                };
            };
        };
        responses: {
            /** @description The answer. */
            201: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            id: string;
                            url: string;
                            /**
                             * @description Types of events that are sent.
                             * @default [
                             *       "fall_detection",
                             *       "inactivity",
                             *       "intrusion",
                             *       "crowd"
                             *     ]
                             */
                            events: ("fall_detection" | "inactivity" | "intrusion" | "crowd" | "zone_entered" | "zone_left" | "activity_changed" | "fall_suspected" | "fall_withdrawn")[];
                            /** Format: date-time */
                            created_at: string;
                        };
                        /** Format: date-time */
                        timestamp: string;
                        request_id: string;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    deleteWebhooksId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description As its list shows it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; nothing to say. */
            204: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    getTopologiesIdDeadLetters: {
        parameters: {
            query?: {
                /** @description Only those of this node. */
                node?: string;
                /** @description From 1. */
                page?: number;
                /** @description So many of the list on a page. */
                per_page?: number;
            };
            header?: never;
            path: {
                /** @description As its list shows it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            id: number;
                            node: string;
                            stage: string;
                            code: string;
                            reason: string;
                            port: string | null;
                            /** Format: date-time */
                            at: string;
                            attempts: number;
                            replay_asked: boolean;
                        }[];
                        pagination: {
                            page: number;
                            per_page: number;
                            total: number;
                            total_pages: number;
                            has_next: boolean;
                            has_prev: boolean;
                        };
                        /** Format: date-time */
                        timestamp: string;
                        request_id: string;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    deleteTopologiesIdDeadLetters: {
        parameters: {
            query?: {
                /** @description Only these, 500 at most: `17,18`. */
                ids?: string;
                /** @description Only those of this node. */
                node?: string;
            };
            header?: never;
            path: {
                /** @description As its list shows it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            dropped: number;
                        };
                        /** Format: date-time */
                        timestamp: string;
                        request_id: string;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    getTopologiesIdDeadLettersLetter: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description As its list shows it. */
                id: string;
                /** @description Id of a dead letter. */
                letter: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            id: number;
                            node: string;
                            stage: string;
                            code: string;
                            reason: string;
                            port: string | null;
                            /** Format: date-time */
                            at: string;
                            attempts: number;
                            replay_asked: boolean;
                            record: unknown;
                        };
                        /** Format: date-time */
                        timestamp: string;
                        request_id: string;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    deleteTopologiesIdDeadLettersLetter: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description As its list shows it. */
                id: string;
                /** @description Id of a dead letter. */
                letter: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; nothing to say. */
            204: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    postTopologiesIdDeadLettersReplay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description As its list shows it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    ids?: number[];
                    /** @description Only those of this node. */
                    node?: string;
                };
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            replayed: number[];
                            refused: {
                                id: number;
                                reason: string;
                            }[];
                        };
                        /** Format: date-time */
                        timestamp: string;
                        request_id: string;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    postTopologiesIdBackups: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description As its list shows it. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            201: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            folder: string;
                            /** Format: date-time */
                            created_at: string;
                            files: number;
                            bytes: number;
                        };
                        /** Format: date-time */
                        timestamp: string;
                        request_id: string;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    postExports: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Absolute path of the file, as this csiflow sees it. */
                    store: string;
                    /** @enum {unknown} */
                    table: "poses" | "persons" | "events" | "measures" | "tracks" | "keypoints";
                    /** @enum {unknown} */
                    format: "parquet" | "csv" | "ndjson";
                    /** Format: date-time */
                    start?: string;
                    /** Format: date-time */
                    end?: string;
                };
            };
        };
        responses: {
            /** @description The answer. */
            201: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            file: string;
                            rows: number;
                        };
                        /** Format: date-time */
                        timestamp: string;
                        request_id: string;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    getAudit: {
        parameters: {
            query?: {
                /** @description Where the range begins: ISO 8601, UTC where it does not say; a date is its midnight. */
                start_time?: string;
                /** @description Where the range ends, itself left out: as start_time. 90 days after it at most. */
                end_time?: string;
                /** @description Only what it did. */
                account?: string;
                /** @description Of this outcome alone. */
                outcome?: "done" | "refused" | "failed";
                /** @description From 1. */
                page?: number;
                /** @description So many of the list on a page. */
                per_page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            /** Format: date-time */
                            time: string;
                            account: string | null;
                            role: string | null;
                            address: string;
                            request_id: string | null;
                            action: string;
                            details: Record<string, never>;
                            /** @enum {unknown} */
                            outcome: "done" | "refused" | "failed";
                            status: number;
                            code: string | null;
                            repeated: number;
                        }[];
                        pagination: {
                            page: number;
                            per_page: number;
                            total: number;
                            total_pages: number;
                            has_next: boolean;
                            has_prev: boolean;
                        };
                        /** Format: date-time */
                        timestamp: string;
                        request_id: string;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        status: string;
                        /** Format: date-time */
                        timestamp: string;
                        version: string;
                        uptime: number;
                    };
                };
            };
            400: components["responses"]["Error400"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    getHealthDetailed: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            overall_status: string;
                            /** Format: date-time */
                            timestamp: string;
                            version: string;
                            uptime: number;
                            components: {
                                api: {
                                    status: string;
                                    response_time_ms: number;
                                    requests_per_second: number;
                                };
                                database: {
                                    status: string;
                                    connection_pool: string;
                                    query_time_ms: number;
                                };
                                cache: {
                                    status: string;
                                    memory_usage: string;
                                    connected_clients: number;
                                };
                                neural_network: {
                                    status: string;
                                    model_loaded: boolean;
                                    gpu_memory_usage: string;
                                    inference_queue: number;
                                };
                                csi_processor: {
                                    status: string;
                                    data_rate: number;
                                    buffer_usage: string;
                                };
                            };
                            metrics: {
                                cpu_usage: number;
                                memory_usage: number;
                                disk_usage: number;
                                network_io: {
                                    bytes_in: number;
                                    bytes_out: number;
                                };
                            };
                        };
                        /** Format: date-time */
                        timestamp: string;
                        request_id: string;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
    getMetrics: {
        parameters: {
            query?: {
                /** @description Where the range begins: ISO 8601, UTC where it does not say; a date is its midnight. */
                start_time?: string;
                /** @description Where the range ends, itself left out: as start_time. 90 days after it at most. */
                end_time?: string;
                /** @description This group of current alone. */
                metric_type?: "performance" | "resources" | "business";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            current: {
                                /** Format: date-time */
                                timestamp: string;
                                performance?: {
                                    frames_per_second: number;
                                    average_latency_ms: number;
                                    processing_queue_size: number;
                                    error_rate: number;
                                };
                                resources?: {
                                    cpu_usage: number;
                                    memory_usage: number;
                                    gpu_usage: number;
                                    disk_io: {
                                        read_mb_per_sec: number;
                                        write_mb_per_sec: number;
                                    };
                                };
                                business?: {
                                    active_persons: number;
                                    detections_per_minute: number;
                                    tracking_accuracy: number;
                                };
                            };
                            historical: {
                                /** Format: date-time */
                                timestamp: string;
                                frames_per_second: number;
                                average_latency_ms: number;
                                cpu_usage: number;
                            }[];
                        };
                        /** Format: date-time */
                        timestamp: string;
                        request_id: string;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            408: components["responses"]["Error408"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            421: components["responses"]["Error421"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            431: components["responses"]["Error431"];
            500: components["responses"]["Error500"];
            502: components["responses"]["Error502"];
            503: components["responses"]["Error503"];
            504: components["responses"]["Error504"];
        };
    };
}
