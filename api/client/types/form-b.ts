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
        /** Exchanges a refresh token, which works once, for a new pair. Using one a second time revokes the whole session. */
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
        /** Ends the session of a refresh token and revokes all its tokens. */
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
         * Signs tokens with a new key from now on. Nobody is logged out: existing tokens stay valid.
         * @description Requires the role admin.
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
         * The users who may log in.
         * @description Requires the role admin.
         */
        get: operations["getAuthUsers"];
        put?: never;
        /**
         * Creates a user. Without a password, one is generated and shown only in this answer.
         * @description Requires the role admin.
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
         * Changes the role or the password of a user. A new password ends all sessions of that user.
         * @description Requires the role admin.
         */
        put: operations["putAuthUsersName"];
        post?: never;
        /**
         * Removes a user and revokes the user's tokens.
         * @description Requires the role admin.
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
         * The API keys, without their secrets.
         * @description Requires the role admin.
         */
        get: operations["getAuthApiKeys"];
        put?: never;
        /**
         * Creates an API key; the key itself is shown only in this answer.
         * @description Requires the role admin.
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
         * @description Requires the role admin.
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
         * @description Requires the role viewer.
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
         * Stored poses in a range of time, oldest first.
         * @description Requires the role viewer.
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
    "/pose/frames": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stored pose frames in a range of time, oldest first, also those in which nobody was seen.
         * @description Requires the role viewer.
         */
        get: operations["getPoseFrames"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pose/places": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How long people in sight were in each cell of the floor, over a range of time.
         * @description Requires the role viewer.
         */
        get: operations["getPosePlaces"];
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
         * Stored poses aggregated by minute, hour, day or week.
         * @description Requires the role viewer.
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
         * Poses from submitted CSI frames, inferred by the operators and the network of the main topology.
         * @description Requires the role operator.
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
         * One tracked person: when seen, with which confidence, how far and how fast.
         * @description Requires the role viewer.
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
         * Events in a range of time, oldest first.
         * @description Requires the role viewer.
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
         * Falls, activity, mobility and sleep of the current hour, day, week or month.
         * @description Requires the role viewer.
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
         * Visitors, zones, funnel and heat map of the current hour, day, week or month.
         * @description Requires the role viewer.
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
         * Intrusions, perimeter and crowds of the current hour, day, week or month.
         * @description Requires the role viewer.
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
         * Detections, activity and system statistics over a range of time.
         * @description Requires the role viewer.
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
         * Number of people over a range of time.
         * @description Requires the role viewer.
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
         * @description Requires the role viewer.
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
         * @description Requires the role viewer.
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
         * @description Requires the role operator.
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
         * @description Requires the role viewer.
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
         * State of the system and figures of its parts.
         * @description Requires the role viewer.
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
         * Progress of the current or last start, stop or restart.
         * @description Requires the role viewer.
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
         * @description Requires the role operator.
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
         * @description Requires the role operator.
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
         * Stops the main topology after a checkpoint, and restarts it from there.
         * @description Requires the role operator.
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
         * The configuration, current or effective at the next start.
         * @description Requires the role viewer.
         */
        get: operations["getConfig"];
        /**
         * Changes the given fields, all or none. With `If-Match`, only that version.
         * @description Requires the role admin.
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
         * Allowed values of the configuration, when a change takes effect, and the values without changes.
         * @description Requires the role viewer.
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
         * The last hundred changes of the configuration, newest first: who, when, old and new values.
         * @description Requires the role admin.
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
         * Undoes the newest change of the configuration that was not undone yet.
         * @description Requires the role admin.
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
         * @description Requires the role viewer.
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
         * @description Requires the role viewer.
         */
        get: operations["getTopologiesId"];
        /**
         * Adds a topology beside the main one, or changes one that is stopped. Does not start it.
         * @description Requires the role admin.
         */
        put: operations["putTopologiesId"];
        post?: never;
        /**
         * Removes a stopped topology. Its stored data stays on disk.
         * @description Requires the role admin.
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
         * Starts a topology. Its state shows the progress.
         * @description Requires the role operator.
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
         * @description Requires the role operator.
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
         * @description Requires the role operator.
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
         * @description Requires the role viewer.
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
         * Shows what a new file would change in a topology, without changing anything.
         * @description Requires the role operator.
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
         * Applies a planned change: takes a checkpoint and continues from it. Rejects the hash of a stale plan.
         * @description Requires the role admin.
         */
        post: operations["postTopologiesIdApply"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/environments/{environment_id}/file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The YAML file of an environment, with the hash that a change of it names.
         * @description Requires the role operator.
         */
        get: operations["getEnvironmentsEnvironmentIdFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/environments/{environment_id}/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Checks a new text of an environment's file, and shows what it would change.
         * @description Requires the role operator.
         */
        post: operations["postEnvironmentsEnvironmentIdPlan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/environments/{environment_id}/apply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Saves a planned text in an environment's file; its topology continues with it from a checkpoint.
         * @description Requires the role operator.
         */
        post: operations["postEnvironmentsEnvironmentIdApply"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/environments/{environment_id}/coverage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What the links of a text can tell about a person on each part of the floor, as simulated.
         * @description Requires the role operator.
         */
        post: operations["postEnvironmentsEnvironmentIdCoverage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/environments/{environment_id}/calibration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The newest measurement of a room.
         * @description Requires the role operator.
         */
        get: operations["getEnvironmentsEnvironmentIdCalibration"];
        put?: never;
        /**
         * Measures a room while its topology runs: empty, or with one person who walks. Nothing is changed until the result is saved.
         * @description Requires the role operator.
         */
        post: operations["postEnvironmentsEnvironmentIdCalibration"];
        /**
         * Ends a measurement, and forgets its result.
         * @description Requires the role operator.
         */
        delete: operations["deleteEnvironmentsEnvironmentIdCalibration"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/environments/{environment_id}/calibration/save": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Writes a measurement to the calibration file of the pose network, and restarts the topology.
         * @description Requires the role operator.
         */
        post: operations["postEnvironmentsEnvironmentIdCalibrationSave"];
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
         * @description Requires the role viewer.
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
         * Records that a node outputs from now on, or that a sink accepts: a sample that never slows the pipeline.
         * @description Requires the role operator.
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
         * @description Requires the role admin.
         */
        get: operations["getWebhooks"];
        put?: never;
        /**
         * Registers an endpoint for alerts, signed with the secret.
         * @description Requires the role admin.
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
         * Removes an endpoint; deliveries waiting for it are dropped.
         * @description Requires the role admin.
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
         * Records that nodes rejected, with the reasons, oldest first.
         * @description Requires the role viewer.
         */
        get: operations["getTopologiesIdDeadLetters"];
        put?: never;
        post?: never;
        /**
         * Deletes dead letters: those with these ids, otherwise those of a node, otherwise all.
         * @description Requires the role operator.
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
         * @description Requires the role viewer.
         */
        get: operations["getTopologiesIdDeadLettersLetter"];
        put?: never;
        post?: never;
        /**
         * Deletes a dead letter.
         * @description Requires the role operator.
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
         * Replays records to their nodes: those with these ids, otherwise those of a node, otherwise all.
         * @description Requires the role operator.
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
         * Copies everything that a topology stores to a new folder below `backups` in its state folder.
         * @description Requires the role admin.
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
         * Exports a table of a file store on this machine to new files in `backups` of the state folder, for other programs: one, or one for each day (UTC).
         * @description Requires the role admin.
         */
        post: operations["postExports"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/query": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Runs one SELECT on the tables of a DuckDB store of this csiflow while it writes them. Reads these tables only: no files, no settings.
         * @description Requires the role operator.
         */
        post: operations["postQuery"];
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
         * Control actions with their callers and outcomes, including refused ones.
         * @description Requires the role admin.
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
         * State and figures of each part; queries the stores.
         * @description Requires the role viewer.
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
         * Current figures, and those of each minute in a range: by default the last hour, at most seven days.
         * @description Requires the role viewer.
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
            /** @constant */
            success: false;
            error: {
                code: string;
                message: string;
                details: {
                    field?: string;
                    reason?: string;
                    limit?: number;
                    window?: number;
                    /** Format: date-time */
                    reset_at?: string;
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
            };
            /** Format: date-time */
            timestamp: string;
            request_id: string;
        };
    };
    responses: {
        /** @description The request is malformed, or its range is too long. */
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
        /** @description Credentials are missing or invalid. */
        Error401: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                /** @description `Bearer`, except at a login. */
                "WWW-Authenticate"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The account lacks the required role. */
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
        /** @description Not found. */
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
        /** @description Method not allowed. */
        Error405: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                /** @description The methods that the path supports. */
                Allow?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The request arrived too slowly. */
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
        /** @description It conflicts with the current state. */
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
        /** @description It has changed in the meantime. */
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
        /** @description The service does not have that host name; or another process of the group reads the room: `Location` has its address. */
        Error421: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                /** @description The same call at the process that reads the room, if its address is known. */
                Location?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description A field is invalid. */
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
        /** @description Rate limit exceeded. */
        Error429: {
            headers: {
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                /** @description Seconds to wait before the next attempt. */
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
        /** @description Internal error. */
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
                /** @description Seconds to wait before the next attempt. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Timeout. */
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
        /** @description Requests allowed per window. */
        "X-RateLimit-Limit": number;
        /** @description Requests left in the window. */
        "X-RateLimit-Remaining": number;
        /** @description End of the window: Unix time in seconds. */
        "X-RateLimit-Reset": number;
        /** @description Length of the window in seconds. */
        "X-RateLimit-Window": number;
        /** @description Identifies the call, also in logs. */
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
            /** @description Success. */
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
            /** @description Success. */
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
            /** @description Success without content. */
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
            /** @description Success. */
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
                /** @description Entries per page. */
                per_page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
            /** @description Success. */
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
                /** @description Name from the list of users. */
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
            /** @description Success. */
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
                /** @description Name from the list of users. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success without content. */
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
                /** @description Entries per page. */
                per_page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
            /** @description Success. */
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
                /** @description Id from the list. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success without content. */
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
                /** @description Default: the main environment of the configuration. */
                environment_id?: string;
                /** @description Omits persons with a lower confidence. */
                min_confidence?: number;
                /** @description False omits keypoints. */
                include_keypoints?: boolean;
                /** @description Adds room metres and their error to persons and keypoints. */
                include_3d?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                            timestamp: string;
                            frame_id: number;
                            environment_id: string;
                            processing_time_ms: number;
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
    getPoseHistory: {
        parameters: {
            query: {
                /** @description Start of the range: ISO 8601, UTC by default; a date means its midnight. */
                start_time: string;
                /** @description End of the range (exclusive), in the format of start_time; at most 90 days after it. */
                end_time: string;
                /** @description Default: the main environment of the configuration. */
                environment_id?: string;
                /** @description Only this person. */
                person_id?: number;
                /** @description Only this track. */
                track_id?: number;
                /** @description Omits persons with a lower confidence. */
                min_confidence?: number;
                /** @description From 1. */
                page?: number;
                /** @description Entries per page. */
                per_page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
    getPoseFrames: {
        parameters: {
            query: {
                /** @description Default: the main environment of the configuration. */
                environment_id?: string;
                /** @description Start of the range: ISO 8601, UTC by default; a date means its midnight. */
                start_time: string;
                /** @description End of the range (exclusive), in the format of start_time; at most 90 days after it. */
                end_time: string;
                /** @description Largest number of frames. */
                limit?: number;
                /** @description next_cursor of the previous page; with otherwise the same parameters. */
                cursor?: string;
                /** @description False omits keypoints. */
                include_keypoints?: boolean;
                /** @description Adds room metres and their error to persons and keypoints. */
                include_3d?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                            frames: {
                                /** Format: date-time */
                                timestamp: string;
                                frame_id: number;
                                environment_id: string;
                                processing_time_ms: number;
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
                                };
                            }[];
                            next_cursor: string | null;
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
    getPosePlaces: {
        parameters: {
            query: {
                /** @description Start of the range: ISO 8601, UTC by default; a date means its midnight. */
                start_time: string;
                /** @description End of the range (exclusive), in the format of start_time; at most 90 days after it. */
                end_time: string;
                /** @description Default: the main environment of the configuration. */
                environment_id?: string;
                /** @description Edge of a cell, metres. A room has at most 10000 cells. */
                cell_m?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                            environment_id: string;
                            cell_m: number;
                            cells: {
                                /** @description Middle of the cell, metres. */
                                x: number;
                                y: number;
                                /** @description Two people at the same time count twice. */
                                seconds: number;
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
                            /** @description Only frames with this number of persons. */
                            person_count?: {
                                min?: number;
                                max?: number;
                            };
                            /** @description Persons with a lower confidence are not counted. */
                            confidence?: {
                                min: number;
                            };
                            /** @description Only results in which one of these took place. */
                            activity?: ("walking" | "standing" | "sitting" | "lying")[];
                        };
                        aggregation: {
                            /** @enum {unknown} */
                            type: "minute_summary" | "hourly_summary" | "daily_summary" | "weekly_summary";
                            /** @description Fields of each result; default: all. */
                            metrics?: ("person_count" | "avg_confidence")[];
                        };
                    };
                };
            };
        };
        responses: {
            /** @description Success. */
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
                            results: {
                                /** Format: date-time */
                                timestamp: string;
                                /** @description Largest number of persons at a time. */
                                person_count?: number;
                                avg_confidence?: number;
                                /** @description Shares of the persons' time. */
                                activities: {
                                    [key: string]: number;
                                };
                            }[];
                            query_metadata: {
                                execution_time_ms: number;
                                /** @description Stored rows that the database aggregated for this answer; 0 for a cached one. */
                                total_records_scanned: number;
                                cache_hit: boolean;
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
                    /** @description One frame, or a run of up to 4096 frames over 60 seconds: a pose requires some seconds of frames of all links. */
                    csi_data: {
                        /** Format: date-time */
                        timestamp: string;
                        /** @description For each antenna, a value for each subcarrier, in the link's layout. */
                        antenna_data: {
                            real: number;
                            imag: number;
                        }[][];
                        metadata: {
                            /** @description Id of a link of the environment, or the sender that a link names. */
                            router_id: string;
                            /** @description Frames per second; the timestamps take precedence. */
                            sampling_rate?: number;
                            /** @description dBm */
                            signal_strength?: number;
                            /** @description Their indices, if the link was not heard yet. */
                            subcarriers?: number[];
                            centre_mhz?: number;
                            bandwidth_mhz?: number;
                        };
                    } | {
                        /** Format: date-time */
                        timestamp: string;
                        /** @description For each antenna, a value for each subcarrier, in the link's layout. */
                        antenna_data: {
                            real: number;
                            imag: number;
                        }[][];
                        metadata: {
                            /** @description Id of a link of the environment, or the sender that a link names. */
                            router_id: string;
                            /** @description Frames per second; the timestamps take precedence. */
                            sampling_rate?: number;
                            /** @description dBm */
                            signal_strength?: number;
                            /** @description Their indices, if the link was not heard yet. */
                            subcarriers?: number[];
                            centre_mhz?: number;
                            bandwidth_mhz?: number;
                        };
                    }[];
                    processing_options?: {
                        /** @description Omits persons with a lower confidence. Default 0. */
                        confidence_threshold?: number;
                        /** @description Largest number of persons per moment, by confidence. Default: all. */
                        max_persons?: number;
                        /** @description Whether to track and number persons. Default: as in the topology. */
                        enable_tracking?: boolean;
                        /** @description Default: false. At most 100 moments. */
                        return_dense_pose?: boolean;
                    };
                    /** @description A name of your choice: calls with the same name continue its windows and tracks. Expires after 60 s. */
                    session_id?: string;
                };
            };
        };
        responses: {
            /** @description Success. */
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
                             * @description `insufficient_data`: the frames do not fill a window yet, so nothing was inferred.
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
                                /** @description Including its training data; `none` if nothing was inferred. */
                                model_version: string;
                                processing_mode: string;
                                /** @description Share of the windows, over all links of the environment, covered by frames. */
                                csi_quality: number;
                                /** @description Moments with a result of the network. */
                                windows: number;
                                frames_taken: number;
                                /** @description By reason, over the whole session: late, other_layout, not_finite. */
                                frames_dropped: {
                                    [key: string]: number;
                                };
                                /** @description Time covered by the frames of the call or session. */
                                held_ms: number;
                                /** @description Time that they must cover for a first window. */
                                needed_ms: number;
                                tracking: boolean;
                                session_id: string | null;
                                session_continued: boolean;
                                /** @description Limitations of the answer, in words. */
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
                /** @description Start of the range: ISO 8601, UTC by default; a date means its midnight. */
                start_time?: string;
                /** @description End of the range (exclusive), in the format of start_time; at most 90 days after it. */
                end_time?: string;
                /** @description Default: the main environment of the configuration. */
                environment_id?: string;
                /** @description Whether to include the trajectory. */
                include_trajectory?: boolean;
            };
            header?: never;
            path: {
                /** @description Only this track. */
                track_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                                /** @description Metres walked: between positions seen while moving. */
                                movement_distance: number;
                                /** @description Metres per second over the whole track. */
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
                /** @description Start of the range: ISO 8601, UTC by default; a date means its midnight. */
                start_time?: string;
                /** @description End of the range (exclusive), in the format of start_time; at most 90 days after it. */
                end_time?: string;
                /** @description fall, alert (events that notify people), or activity (all other events). */
                event_type?: "fall" | "alert" | "activity";
                /** @description Only this severity. */
                severity?: "low" | "medium" | "high" | "critical";
                /** @description Default: the main environment of the configuration. */
                environment_id?: string;
                /** @description Adds the fields of the event's type to `metadata`: a zone's name, seconds. */
                include_details?: boolean;
                /** @description From 1. */
                page?: number;
                /** @description Entries per page. */
                per_page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                            /** @description Metres on the floor; 0, 0 for an event without a position. */
                            location: {
                                x: number;
                                y: number;
                            };
                            /** @description With include_details=true also the fields of its type. */
                            metadata: {
                                /** @description Seconds; 0 if not measured. */
                                fall_duration: number;
                                /** @description 0 to 1; 0 if not measured. */
                                impact_severity: number;
                                /** @description False if not monitored. */
                                recovery_detected: boolean;
                            } & {
                                [key: string]: unknown;
                            };
                            /** @description Empty: csiflow does not know how people respond to an event. */
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
                /** @description The current one, in the time zone of the environment; weeks begin on Monday. */
                period?: "hour" | "day" | "week" | "month";
                /** @description Metrics, separated by commas: fall_events, activity_summary, mobility_score, sleep_quality. Default: all. */
                metrics?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                                /** @description Oldest first, at most 1,000. */
                                events: {
                                    /** Format: date-time */
                                    timestamp: string;
                                    /** @description 0 if the person is unknown. */
                                    person_id: number;
                                    severity: string;
                                    /** @description Time until somebody else entered, within an hour; 0 if nobody did. */
                                    response_time_seconds: number;
                                    /** @description Metres on the floor; 0, 0 for an event without a position. */
                                    location: {
                                        x: number;
                                        y: number;
                                    };
                                }[];
                            };
                            activity_summary?: {
                                /** @description For all persons together. */
                                walking_minutes: number;
                                /** @description For all persons together. */
                                sitting_minutes: number;
                                /** @description For all persons together. */
                                lying_minutes: number;
                                /** @description For all persons together. */
                                standing_minutes: number;
                            };
                            /** @description Share of the time in sight, except lying, in which people moved. */
                            mobility_score?: number;
                            sleep_quality?: {
                                /** @description Time lying still in a zone of kind `bed`. */
                                total_sleep_hours: number;
                                /** @description That time as a share of the time in bed. */
                                sleep_efficiency: number;
                                /** @description Minutes with movement in bed. */
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
                /** @description The current one, in the time zone of the environment; weeks begin on Monday. */
                period?: "hour" | "day" | "week" | "month";
                /** @description Metrics, separated by commas: traffic, zones, conversion_funnel, heat_map. Default: all. */
                metrics?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                                /** @description Visits: a person who comes twice counts twice. */
                                total_visitors: number;
                                /** @description Distinct persons. */
                                unique_visitors: number;
                                /** @description Local hour with the most persons, `14:00-15:00`; empty without any. */
                                peak_hour: string;
                                /** @description Persons in that hour. */
                                peak_count: number;
                                /** @description Mean over visits. */
                                average_dwell_time_minutes: number;
                            };
                            zones?: {
                                zone_id: string;
                                zone_name: string;
                                /** @description Visitors; several entries during one visit count once. */
                                visitor_count: number;
                                /** @description Mean per visitor, in the zone. */
                                avg_dwell_time_minutes: number;
                                /** @description Share of its visitors who continued to a zone of the stage `purchase`. */
                                conversion_rate: number;
                            }[];
                            /** @description Persons who reached a zone of this stage or a later one. */
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
                                /** @description Zones with visitors, most frequented first. */
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
                /** @description The current one, in the time zone of the environment; weeks begin on Monday. */
                period?: "hour" | "day" | "week" | "month";
                /** @description Metrics, separated by commas: intrusion_events, perimeter_monitoring, crowd_analysis. Default: all. */
                metrics?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                                /** @description Oldest first, at most 1,000. */
                                events: {
                                    /** Format: date-time */
                                    timestamp: string;
                                    /** @description Id of the zone; of the environment if that is guarded. */
                                    zone: string;
                                    /** @description Persons in it at the beginning. */
                                    person_count: number;
                                    threat_level: string;
                                    /** @description Until the number of persons was permitted again; 0 while it lasts. */
                                    response_time_seconds: number;
                                }[];
                            };
                            perimeter_monitoring?: {
                                /** @description Entries into zones of kind `perimeter`. */
                                total_detections: number;
                                /** @description Those at authorised hours and in authorised numbers. */
                                authorized_entries: number;
                                /** @description All others. */
                                unauthorized_attempts: number;
                                /** @description Entries that began and ended out of sight within 5 s: also counted among the others. */
                                false_positives: number;
                            };
                            crowd_analysis?: {
                                /** @description Largest number of persons at a time. */
                                max_occupancy: number;
                                /** @description Mean over the observed time. */
                                average_occupancy: number;
                                /** @description Times when `crowd_persons` of the environment was reached. */
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
                /** @description Start of the range: ISO 8601, UTC by default; a date means its midnight. */
                start_time: string;
                /** @description End of the range (exclusive), in the format of start_time; at most 90 days after it. */
                end_time: string;
                /** @description Default: the main environment of the configuration. */
                environment_id?: string;
                /** @description The key of hourly_breakdown. */
                granularity?: "hour" | "day" | "week";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                                /** @description Sum of persons over all frames. */
                                total_detections: number;
                                /** @description Distinct persons. */
                                unique_persons: number;
                                average_confidence: number;
                                /** @description Largest number of persons at a time. */
                                peak_occupancy: number;
                                /**
                                 * Format: date-time
                                 * @description The first minute with that number; the range's start if nobody was there.
                                 */
                                peak_occupancy_time: string;
                            };
                            activity_stats: {
                                /** @description Zones entered and left, changes of activity. */
                                total_movement_events: number;
                                /** @description Falls. */
                                fall_detections: number;
                                /** @description Events that notify people, including falls. */
                                alert_count: number;
                                /** @description Share of the persons' time with movement. */
                                average_activity_level: number;
                            };
                            system_stats: {
                                uptime_percentage: number;
                                /** @description Mean inference time of a frame, milliseconds; 0 without frames. */
                                average_processing_time: number;
                                /** @description Pose frames. */
                                frames_processed: number;
                                /** @description Dead letters of the topology with their last failure in this range. */
                                error_count: number;
                            };
                            /** @description Only those with frames. */
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
                /** @description Start of the range: ISO 8601, UTC by default; a date means its midnight. */
                start_time: string;
                /** @description End of the range (exclusive), in the format of start_time; at most 90 days after it. */
                end_time: string;
                /** @description Default: the main environment of the configuration. */
                environment_id?: string;
                /** @description Length of a step in time_series. */
                interval?: "5min" | "15min" | "1hour";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                                /** @description Mean over the observed time. */
                                average_occupancy: number;
                                peak_occupancy: number;
                                /**
                                 * Format: date-time
                                 * @description The first minute with that number; the range's start if nobody was there.
                                 */
                                peak_time: string;
                                total_person_hours: number;
                            };
                            /** @description Without unobserved intervals. */
                            time_series: {
                                /** Format: date-time */
                                timestamp: string;
                                /** @description The mean, rounded. */
                                occupancy: number;
                                confidence: number;
                            }[];
                            /** @description Percent of the observed time. */
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
                /** @description Start of the range: ISO 8601, UTC by default; a date means its midnight. */
                start_time: string;
                /** @description End of the range (exclusive), in the format of start_time; at most 90 days after it. */
                end_time: string;
                /** @description Default: the main environment of the configuration. */
                environment_id?: string;
                /** @description Names of measures, 20 at most: `breathing_rate_bpm,presence_seconds`. */
                names: string;
                /** @description Length of a step in time_series. */
                interval?: "1min" | "5min" | "15min" | "1hour";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                /** @description End of the range (exclusive), in the format of start_time; at most 90 days after it. */
                end_time?: string;
                /** @description Default: all environments. */
                environment_id?: string;
                /** @description Largest number of frames. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                            alert_type: "fall_detection" | "inactivity" | "intrusion" | "crowd" | "zone_entered" | "zone_left" | "activity_changed" | "fall_suspected" | "fall_withdrawn" | "inference_degraded" | "inference_restored";
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
                /** @description Id of the alert. */
                timestamp: string;
                /** @description Id of the alert. */
                alert_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                /** @description Id of the alert. */
                timestamp: string;
                /** @description Id of the alert. */
                alert_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
            /** @description Success. */
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
                            uptime_seconds: number;
                            /** Format: date-time */
                            started_at: string;
                            performance: {
                                frames_processed: number;
                                average_fps: number;
                                average_latency_ms: number;
                                cpu_usage: number;
                                memory_usage: number;
                                gpu_usage: number;
                            };
                            components: {
                                csi_processor: {
                                    status: string;
                                    /** Format: date-time */
                                    last_heartbeat: string;
                                };
                                neural_network: {
                                    status: string;
                                    model_loaded: boolean;
                                    inference_queue_size: number;
                                };
                                tracker: {
                                    status: string;
                                    active_tracks: number;
                                };
                                database: {
                                    status: string;
                                    connection_pool: string;
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
    getSystemSteps: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                 *         "detection_settings": {
                 *           "confidence_threshold": 0.5,
                 *           "max_persons": 5,
                 *           "enable_tracking": true
                 *         }
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
                        /** @description The environment of calls without an `environment_id`. */
                        environment_id?: string;
                        detection_settings?: {
                            /** @description Confidence below which a person is not reported. */
                            confidence_threshold?: number;
                            /** @description Largest number of reported persons. */
                            max_persons?: number;
                            /** @description Whether to track persons from frame to frame and number them. */
                            enable_tracking?: boolean;
                        };
                        hardware_settings?: {
                            /** @description Frames of a link per second: for the simulator as set, for hardware as measured. */
                            csi_sampling_rate?: number;
                            /** @description Batches, of at most 64 frames, that may wait behind a source. */
                            buffer_size?: number;
                        };
                    };
                };
            };
        };
        responses: {
            /** @description Success. */
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
                            session_id: string;
                            estimated_startup_time: number;
                            configuration_applied: Record<string, never>;
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
    postSystemStop: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                            session_id: string;
                            /** Format: date-time */
                            shutdown_initiated: string;
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
    postSystemRestart: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
            /** @description Success. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description The version in this answer. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
                            /**
                             * @description What the deployment is for: it decides what alerts ask people to do.
                             * @enum {unknown}
                             */
                            domain: "healthcare" | "general" | "retail" | "security";
                            /** @description The environment of calls without an `environment_id`. */
                            environment_id: string;
                            detection: {
                                /** @description Confidence below which a person is not reported. */
                                confidence_threshold: number;
                                /** @description Largest number of reported persons. */
                                max_persons: number;
                                /** @description Whether to track persons from frame to frame and number them. */
                                enable_tracking: boolean;
                                /** @description Pose frames out of sight before a track ends. */
                                tracking_max_age: number;
                                /** @description Consecutive pose frames before a track is active. */
                                tracking_min_hits: number;
                            };
                            neural_network: {
                                /** @description Name and version of the pose network. Cannot be set. */
                                model_version: string;
                                /** @description Largest number of windows computed together. */
                                batch_size: number;
                                /** @description Whether to compute the network on a GPU if there is one. */
                                enable_gpu: boolean;
                                /** @description A window whose inference takes longer fails, milliseconds. */
                                inference_timeout: number;
                            };
                            hardware: {
                                /** @description Frames of a link per second: for the simulator as set, for hardware as measured. */
                                csi_sampling_rate: number;
                                /** @description Batches, of at most 64 frames, that may wait behind a source. */
                                buffer_size: number;
                                /** @description Receive antennas of a link, from the newest frames. Cannot be set. */
                                antenna_count: number;
                                /** @description Subcarriers of a frame, from the newest frames. Cannot be set. */
                                subcarrier_count: number;
                            };
                            analytics: {
                                /** @description Whether to detect falls. */
                                enable_fall_detection: boolean;
                                alert_thresholds: {
                                    /** @description Falls with at least this confidence are reported. */
                                    fall_confidence: number;
                                    /** @description Time without motion before it is reported, seconds. */
                                    inactivity_timeout: number;
                                };
                                /** @description Whether to report activities: walking, standing, sitting, lying. */
                                enable_activity_recognition: boolean;
                            };
                            privacy: {
                                /** @description Stores delete older data, by event time; 0: nothing is deleted. */
                                data_retention_days: number;
                                /** @description Whether sinks receive pseudonyms, no skeletons, and positions on a grid. */
                                anonymize_data: boolean;
                                /** @description Whether stores and state are encrypted on disk. The next start converts existing data. */
                                enable_encryption: boolean;
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
    putConfig: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETags, or *: the call succeeds only if one of them is the current version; otherwise it is answered with 412. */
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
                 *       "analytics": {
                 *         "enable_fall_detection": true
                 *       }
                 *     }
                 */
                "application/json": {
                    /**
                     * @description What the deployment is for: it decides what alerts ask people to do.
                     * @enum {unknown}
                     */
                    domain?: "healthcare" | "general" | "retail" | "security";
                    /** @description The environment of calls without an `environment_id`. */
                    environment_id?: string;
                    detection?: {
                        /** @description Confidence below which a person is not reported. */
                        confidence_threshold?: number;
                        /** @description Largest number of reported persons. */
                        max_persons?: number;
                        /** @description Whether to track persons from frame to frame and number them. */
                        enable_tracking?: boolean;
                        /** @description Pose frames out of sight before a track ends. */
                        tracking_max_age?: number;
                        /** @description Consecutive pose frames before a track is active. */
                        tracking_min_hits?: number;
                    };
                    neural_network?: {
                        /** @description Name and version of the pose network. Cannot be set. */
                        model_version?: string;
                        /** @description Largest number of windows computed together. */
                        batch_size?: number;
                        /** @description Whether to compute the network on a GPU if there is one. */
                        enable_gpu?: boolean;
                        /** @description A window whose inference takes longer fails, milliseconds. */
                        inference_timeout?: number;
                    };
                    hardware?: {
                        /** @description Frames of a link per second: for the simulator as set, for hardware as measured. */
                        csi_sampling_rate?: number;
                        /** @description Batches, of at most 64 frames, that may wait behind a source. */
                        buffer_size?: number;
                        /** @description Receive antennas of a link, from the newest frames. Cannot be set. */
                        antenna_count?: number;
                        /** @description Subcarriers of a frame, from the newest frames. Cannot be set. */
                        subcarrier_count?: number;
                    };
                    analytics?: {
                        /** @description Whether to detect falls. */
                        enable_fall_detection?: boolean;
                        alert_thresholds?: {
                            /** @description Falls with at least this confidence are reported. */
                            fall_confidence?: number;
                            /** @description Time without motion before it is reported, seconds. */
                            inactivity_timeout?: number;
                        };
                        /** @description Whether to report activities: walking, standing, sitting, lying. */
                        enable_activity_recognition?: boolean;
                    };
                    privacy?: {
                        /** @description Stores delete older data, by event time; 0: nothing is deleted. */
                        data_retention_days?: number;
                        /** @description Whether sinks receive pseudonyms, no skeletons, and positions on a grid. */
                        anonymize_data?: boolean;
                        /** @description Whether stores and state are encrypted on disk. The next start converts existing data. */
                        enable_encryption?: boolean;
                    };
                };
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description The version in this answer. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        data: {
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
                                /** @description The environment of calls without an `environment_id`. */
                                environment_id: string;
                                detection: {
                                    /** @description Confidence below which a person is not reported. */
                                    confidence_threshold: number;
                                    /** @description Largest number of reported persons. */
                                    max_persons: number;
                                    /** @description Whether to track persons from frame to frame and number them. */
                                    enable_tracking: boolean;
                                    /** @description Pose frames out of sight before a track ends. */
                                    tracking_max_age: number;
                                    /** @description Consecutive pose frames before a track is active. */
                                    tracking_min_hits: number;
                                };
                                neural_network: {
                                    /** @description Name and version of the pose network. Cannot be set. */
                                    model_version: string;
                                    /** @description Largest number of windows computed together. */
                                    batch_size: number;
                                    /** @description Whether to compute the network on a GPU if there is one. */
                                    enable_gpu: boolean;
                                    /** @description A window whose inference takes longer fails, milliseconds. */
                                    inference_timeout: number;
                                };
                                hardware: {
                                    /** @description Frames of a link per second: for the simulator as set, for hardware as measured. */
                                    csi_sampling_rate: number;
                                    /** @description Batches, of at most 64 frames, that may wait behind a source. */
                                    buffer_size: number;
                                    /** @description Receive antennas of a link, from the newest frames. Cannot be set. */
                                    antenna_count: number;
                                    /** @description Subcarriers of a frame, from the newest frames. Cannot be set. */
                                    subcarrier_count: number;
                                };
                                analytics: {
                                    /** @description Whether to detect falls. */
                                    enable_fall_detection: boolean;
                                    alert_thresholds: {
                                        /** @description Falls with at least this confidence are reported. */
                                        fall_confidence: number;
                                        /** @description Time without motion before it is reported, seconds. */
                                        inactivity_timeout: number;
                                    };
                                    /** @description Whether to report activities: walking, standing, sitting, lying. */
                                    enable_activity_recognition: boolean;
                                };
                                privacy: {
                                    /** @description Stores delete older data, by event time; 0: nothing is deleted. */
                                    data_retention_days: number;
                                    /** @description Whether sinks receive pseudonyms, no skeletons, and positions on a grid. */
                                    anonymize_data: boolean;
                                    /** @description Whether stores and state are encrypted on disk. The next start converts existing data. */
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
    getConfigSchema: {
        parameters: {
            query?: {
                /** @description The form whose fields are described. */
                form?: "a" | "b";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                                /** @description The environment of calls without an `environment_id`. */
                                environment_id: string;
                                detection: {
                                    /** @description Confidence below which a person is not reported. */
                                    confidence_threshold: number;
                                    /** @description Largest number of reported persons. */
                                    max_persons: number;
                                    /** @description Whether to track persons from frame to frame and number them. */
                                    enable_tracking: boolean;
                                    /** @description Pose frames out of sight before a track ends. */
                                    tracking_max_age: number;
                                    /** @description Consecutive pose frames before a track is active. */
                                    tracking_min_hits: number;
                                };
                                neural_network: {
                                    /** @description Name and version of the pose network. Cannot be set. */
                                    model_version: string;
                                    /** @description Largest number of windows computed together. */
                                    batch_size: number;
                                    /** @description Whether to compute the network on a GPU if there is one. */
                                    enable_gpu: boolean;
                                    /** @description A window whose inference takes longer fails, milliseconds. */
                                    inference_timeout: number;
                                };
                                hardware: {
                                    /** @description Frames of a link per second: for the simulator as set, for hardware as measured. */
                                    csi_sampling_rate: number;
                                    /** @description Batches, of at most 64 frames, that may wait behind a source. */
                                    buffer_size: number;
                                    /** @description Receive antennas of a link, from the newest frames. Cannot be set. */
                                    antenna_count: number;
                                    /** @description Subcarriers of a frame, from the newest frames. Cannot be set. */
                                    subcarrier_count: number;
                                };
                                analytics: {
                                    /** @description Whether to detect falls. */
                                    enable_fall_detection: boolean;
                                    alert_thresholds: {
                                        /** @description Falls with at least this confidence are reported. */
                                        fall_confidence: number;
                                        /** @description Time without motion before it is reported, seconds. */
                                        inactivity_timeout: number;
                                    };
                                    /** @description Whether to report activities: walking, standing, sitting, lying. */
                                    enable_activity_recognition: boolean;
                                };
                                privacy: {
                                    /** @description Stores delete older data, by event time; 0: nothing is deleted. */
                                    data_retention_days: number;
                                    /** @description Whether sinks receive pseudonyms, no skeletons, and positions on a grid. */
                                    anonymize_data: boolean;
                                    /** @description Whether stores and state are encrypted on disk. The next start converts existing data. */
                                    enable_encryption: boolean;
                                };
                            } | {
                                /**
                                 * @description What the deployment is for: it decides what alerts ask people to do.
                                 * @enum {unknown}
                                 */
                                domain: "healthcare" | "general" | "retail" | "security";
                                environment: {
                                    /** @description The environment of calls without an `environment_id`. */
                                    id: string;
                                    /** @description The environment's display name. */
                                    name: string;
                                    /**
                                     * Format: date-time
                                     * @description When the empty room was measured; 1970 if it was not. Cannot be set.
                                     */
                                    calibration_timestamp: string;
                                };
                                detection: {
                                    /** @description Confidence below which a person is not reported. */
                                    confidence_threshold: number;
                                    /** @description Largest number of reported persons. */
                                    max_persons: number;
                                    /** @description Whether to track persons from frame to frame and number them. */
                                    tracking_enabled: boolean;
                                };
                                alerts: {
                                    fall_detection: {
                                        /** @description Whether to detect falls. */
                                        enabled: boolean;
                                        /** @description Falls of a confidence of at least 1 - sensitivity are reported. */
                                        sensitivity: number;
                                        /** @description Delay of a fall's report; the fall is dropped if the person walks again in that time. */
                                        notification_delay_seconds: number;
                                    };
                                    inactivity_detection: {
                                        /** @description Whether to detect inactivity. */
                                        enabled: boolean;
                                        /** @description Time without motion before it is reported, minutes. */
                                        threshold_minutes: number;
                                    };
                                };
                                streaming: {
                                    /** @description Whether `kafka` sinks send results. */
                                    restream_enabled: boolean;
                                    /** @description Whether /ws/pose accepts clients. */
                                    websocket_enabled: boolean;
                                    /** @description Whether `mqtt` sinks publish. */
                                    mqtt_enabled: boolean;
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
                /** @description Entries per page. */
                per_page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                /** @description ETags, or *: the call succeeds only if one of them is the current version; otherwise it is answered with 412. */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-RateLimit-Window": components["headers"]["X-RateLimit-Window"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description The version in this answer. */
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
                                /** @description The environment of calls without an `environment_id`. */
                                environment_id: string;
                                detection: {
                                    /** @description Confidence below which a person is not reported. */
                                    confidence_threshold: number;
                                    /** @description Largest number of reported persons. */
                                    max_persons: number;
                                    /** @description Whether to track persons from frame to frame and number them. */
                                    enable_tracking: boolean;
                                    /** @description Pose frames out of sight before a track ends. */
                                    tracking_max_age: number;
                                    /** @description Consecutive pose frames before a track is active. */
                                    tracking_min_hits: number;
                                };
                                neural_network: {
                                    /** @description Name and version of the pose network. Cannot be set. */
                                    model_version: string;
                                    /** @description Largest number of windows computed together. */
                                    batch_size: number;
                                    /** @description Whether to compute the network on a GPU if there is one. */
                                    enable_gpu: boolean;
                                    /** @description A window whose inference takes longer fails, milliseconds. */
                                    inference_timeout: number;
                                };
                                hardware: {
                                    /** @description Frames of a link per second: for the simulator as set, for hardware as measured. */
                                    csi_sampling_rate: number;
                                    /** @description Batches, of at most 64 frames, that may wait behind a source. */
                                    buffer_size: number;
                                    /** @description Receive antennas of a link, from the newest frames. Cannot be set. */
                                    antenna_count: number;
                                    /** @description Subcarriers of a frame, from the newest frames. Cannot be set. */
                                    subcarrier_count: number;
                                };
                                analytics: {
                                    /** @description Whether to detect falls. */
                                    enable_fall_detection: boolean;
                                    alert_thresholds: {
                                        /** @description Falls with at least this confidence are reported. */
                                        fall_confidence: number;
                                        /** @description Time without motion before it is reported, seconds. */
                                        inactivity_timeout: number;
                                    };
                                    /** @description Whether to report activities: walking, standing, sitting, lying. */
                                    enable_activity_recognition: boolean;
                                };
                                privacy: {
                                    /** @description Stores delete older data, by event time; 0: nothing is deleted. */
                                    data_retention_days: number;
                                    /** @description Whether sinks receive pseudonyms, no skeletons, and positions on a grid. */
                                    anonymize_data: boolean;
                                    /** @description Whether stores and state are encrypted on disk. The next start converts existing data. */
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
                /** @description Entries per page. */
                per_page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                /** @description Id from the list. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                                /** @description Frames that, by the senders' numbering, were sent but not decoded: lost on the way, or dropped before. */
                                missing: number;
                                failed: number;
                                queue_depth: number;
                                /** @description Records waiting in the outbox of a sink. */
                                undelivered: number;
                                last_record: string | null;
                                /** @description How far event time is behind the clock, milliseconds. Null for recordings, and before the first record. */
                                lag_ms: number | null;
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
                /** @description Id from the list. */
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
            /** @description Success. */
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
                                /** @description Frames that, by the senders' numbering, were sent but not decoded: lost on the way, or dropped before. */
                                missing: number;
                                failed: number;
                                queue_depth: number;
                                /** @description Records waiting in the outbox of a sink. */
                                undelivered: number;
                                last_record: string | null;
                                /** @description How far event time is behind the clock, milliseconds. Null for recordings, and before the first record. */
                                lag_ms: number | null;
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
                /** @description Id from the list. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success without content. */
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
                /** @description Id from the list. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                /** @description Id from the list. */
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
            /** @description Success. */
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
                /** @description Id from the list. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                /** @description Id from the list. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                /** @description Id from the list. */
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
            /** @description Success. */
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
                /** @description Id from the list. */
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
            /** @description Success. */
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
                                /** @description Frames that, by the senders' numbering, were sent but not decoded: lost on the way, or dropped before. */
                                missing: number;
                                failed: number;
                                queue_depth: number;
                                /** @description Records waiting in the outbox of a sink. */
                                undelivered: number;
                                last_record: string | null;
                                /** @description How far event time is behind the clock, milliseconds. Null for recordings, and before the first record. */
                                lag_ms: number | null;
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
    getEnvironmentsEnvironmentIdFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Default: the main environment of the configuration. */
                environment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                            environment_id: string;
                            topology: string;
                            /** @description Relative to the topology's folder. */
                            file: string;
                            /** @description Its YAML. */
                            text: string;
                            hash: string;
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
    postEnvironmentsEnvironmentIdPlan: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Default: the main environment of the configuration. */
                environment_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The file's new YAML. */
                    text: string;
                    /** @description `hash` of the file that the text was made from; rejected if the file has changed since. */
                    file_hash: string;
                };
            };
        };
        responses: {
            /** @description Success. */
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
                            environment: {
                                /** @description `size`, `links/ID`, `walls/INDEX`, `zones/ID`. */
                                part: string;
                                /** @enum {unknown} */
                                change: "added" | "removed" | "changed";
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
    postEnvironmentsEnvironmentIdApply: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Default: the main environment of the configuration. */
                environment_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The file's new YAML. */
                    text: string;
                    /** @description `hash` of the file that the text was made from; rejected if the file has changed since. */
                    file_hash: string;
                    /** @description `hash` of the plan. */
                    hash: string;
                };
            };
        };
        responses: {
            /** @description Success. */
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
                            environment_id: string;
                            topology: string;
                            /** @description Relative to the topology's folder. */
                            file: string;
                            /** @description Its YAML. */
                            text: string;
                            hash: string;
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
    postEnvironmentsEnvironmentIdCoverage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Default: the main environment of the configuration. */
                environment_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The file's new YAML. */
                    text: string;
                };
            };
        };
        responses: {
            /** @description Success. */
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
                            columns: number;
                            rows: number;
                            /** @description Mean number of links that a standing person changes by 1 dB or more, by row from y = 0 and by column from x = 0. */
                            links: number[];
                            /** @description Expected error of the position, metres, by row from y = 0 and by column from x = 0. */
                            error_m: number[];
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
    getEnvironmentsEnvironmentIdCalibration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Default: the main environment of the configuration. */
                environment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                            /** @enum {unknown} */
                            state: "none" | "measuring" | "measured" | "saved" | "failed";
                            /**
                             * @description Who was to be in the room: nobody, or one person who walks about.
                             * @enum {unknown}
                             */
                            who: "nobody" | "walker";
                            /** @description Event time that it takes. */
                            seconds: number;
                            /** @description Time without frames does not count. */
                            heard_seconds: number;
                            /** @description Seconds in which a motion detector, such as `detect-motion`, noticed somebody; null without one. */
                            presence_seconds: number | null;
                            links: {
                                id: string;
                                /** @description False: no frames arrived, so its former profile stays. */
                                heard: boolean;
                                /** @description Mean difference from the former profile; null without one. */
                                change_db: number | null;
                            }[];
                            /** @description By how many decibels the one who walked changed the channels more than people in the training of `infer-pose`; null unless measured or saved. */
                            echo_db: number | null;
                            /** @description By how many decibels `infer-pose` reduces all changes of the room once this is saved: nothing up to an `echo_db` of 5, all of it from 10 to 15, and 15 above. Null if `echo_db` is. */
                            reduced_db: number | null;
                            /** @description Why the result may be wrong, for people; null if nothing says so. */
                            doubt: string | null;
                            /** @description Relative to the topology's folder. */
                            file: string;
                            problem: string | null;
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
    postEnvironmentsEnvironmentIdCalibration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Default: the main environment of the configuration. */
                environment_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Event time; 60 is enough. */
                    seconds: number;
                    /**
                     * @description `walker`: one person walks about, and the empty room was measured before.
                     * @default nobody
                     * @enum {unknown}
                     */
                    who?: "nobody" | "walker";
                };
            };
        };
        responses: {
            /** @description Success. */
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
                            /** @enum {unknown} */
                            state: "none" | "measuring" | "measured" | "saved" | "failed";
                            /**
                             * @description Who was to be in the room: nobody, or one person who walks about.
                             * @enum {unknown}
                             */
                            who: "nobody" | "walker";
                            /** @description Event time that it takes. */
                            seconds: number;
                            /** @description Time without frames does not count. */
                            heard_seconds: number;
                            /** @description Seconds in which a motion detector, such as `detect-motion`, noticed somebody; null without one. */
                            presence_seconds: number | null;
                            links: {
                                id: string;
                                /** @description False: no frames arrived, so its former profile stays. */
                                heard: boolean;
                                /** @description Mean difference from the former profile; null without one. */
                                change_db: number | null;
                            }[];
                            /** @description By how many decibels the one who walked changed the channels more than people in the training of `infer-pose`; null unless measured or saved. */
                            echo_db: number | null;
                            /** @description By how many decibels `infer-pose` reduces all changes of the room once this is saved: nothing up to an `echo_db` of 5, all of it from 10 to 15, and 15 above. Null if `echo_db` is. */
                            reduced_db: number | null;
                            /** @description Why the result may be wrong, for people; null if nothing says so. */
                            doubt: string | null;
                            /** @description Relative to the topology's folder. */
                            file: string;
                            problem: string | null;
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
    deleteEnvironmentsEnvironmentIdCalibration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Default: the main environment of the configuration. */
                environment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success without content. */
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
    postEnvironmentsEnvironmentIdCalibrationSave: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Default: the main environment of the configuration. */
                environment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                            /** @enum {unknown} */
                            state: "none" | "measuring" | "measured" | "saved" | "failed";
                            /**
                             * @description Who was to be in the room: nobody, or one person who walks about.
                             * @enum {unknown}
                             */
                            who: "nobody" | "walker";
                            /** @description Event time that it takes. */
                            seconds: number;
                            /** @description Time without frames does not count. */
                            heard_seconds: number;
                            /** @description Seconds in which a motion detector, such as `detect-motion`, noticed somebody; null without one. */
                            presence_seconds: number | null;
                            links: {
                                id: string;
                                /** @description False: no frames arrived, so its former profile stays. */
                                heard: boolean;
                                /** @description Mean difference from the former profile; null without one. */
                                change_db: number | null;
                            }[];
                            /** @description By how many decibels the one who walked changed the channels more than people in the training of `infer-pose`; null unless measured or saved. */
                            echo_db: number | null;
                            /** @description By how many decibels `infer-pose` reduces all changes of the room once this is saved: nothing up to an `echo_db` of 5, all of it from 10 to 15, and 15 above. Null if `echo_db` is. */
                            reduced_db: number | null;
                            /** @description Why the result may be wrong, for people; null if nothing says so. */
                            doubt: string | null;
                            /** @description Relative to the topology's folder. */
                            file: string;
                            problem: string | null;
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
                /** @description Id from the list. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                                /** @description Frames in the newest whole second; 0 after five silent seconds; null if unknown. */
                                frames_per_second: number | null;
                                /** @description Share of the sender's frames that did not arrive, 0 to 1; null if unknown. */
                                loss: number | null;
                                /** @description Mean of the newest whole second; null if unknown. */
                                rssi_dbm: number | null;
                                /** @description Mean of the newest whole second; null if unknown. */
                                noise_dbm: number | null;
                                /** @description Signal-to-noise ratio in the newest window; null if unknown. */
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
                /** @description Largest number of records. */
                limit?: number;
                /** @description How long to wait for that number. */
                wait_ms?: number;
                /** @description Skips records that follow the last returned one within this time. */
                every_ms?: number;
                /** @description A CEL expression over `csi`, `window`, `pose`, `event` or `measure`: only records of this kind for which it is true. */
                where?: string;
                /** @description CSI frames with `indices`, `amplitudes` and `phases` (radians), [rx][tx][subcarrier]; at most 100 records. */
                values?: boolean;
            };
            header?: never;
            path: {
                /** @description Id from the list. */
                id: string;
                /** @description Id of a node, from the graph of its topology. */
                node: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                            /** @description Records of the node in this time, including those for which `where` is not true. */
                            seen: number;
                            /** @description Why `where` failed for a record; such records are skipped. */
                            problem: string | null;
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
                /** @description Entries per page. */
                per_page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                             * @description Types of events to send.
                             * @default [
                             *       "fall_detection",
                             *       "inactivity",
                             *       "intrusion",
                             *       "crowd"
                             *     ]
                             */
                            events: ("fall_detection" | "inactivity" | "intrusion" | "crowd" | "zone_entered" | "zone_left" | "activity_changed" | "fall_suspected" | "fall_withdrawn" | "inference_degraded" | "inference_restored")[];
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
                    /** @description Address for alerts. Only administrators see it again. */
                    url: string;
                    /**
                     * @description Types of events to send.
                     * @default [
                     *       "fall_detection",
                     *       "inactivity",
                     *       "intrusion",
                     *       "crowd"
                     *     ]
                     */
                    events?: ("fall_detection" | "inactivity" | "intrusion" | "crowd" | "zone_entered" | "zone_left" | "activity_changed" | "fall_suspected" | "fall_withdrawn" | "inference_degraded" | "inference_restored")[];
                    /** @description Key for signatures; it is not shown again. */
                    secret: string;
                };
            };
        };
        responses: {
            /** @description Success. */
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
                             * @description Types of events to send.
                             * @default [
                             *       "fall_detection",
                             *       "inactivity",
                             *       "intrusion",
                             *       "crowd"
                             *     ]
                             */
                            events: ("fall_detection" | "inactivity" | "intrusion" | "crowd" | "zone_entered" | "zone_left" | "activity_changed" | "fall_suspected" | "fall_withdrawn" | "inference_degraded" | "inference_restored")[];
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
                /** @description Id from the list. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success without content. */
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
                /** @description Entries per page. */
                per_page?: number;
            };
            header?: never;
            path: {
                /** @description Id from the list. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                /** @description Only these, at most 500: `17,18`. */
                ids?: string;
                /** @description Only those of this node. */
                node?: string;
            };
            header?: never;
            path: {
                /** @description Id from the list. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                /** @description Id from the list. */
                id: string;
                /** @description Id of a dead letter. */
                letter: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                /** @description Id from the list. */
                id: string;
                /** @description Id of a dead letter. */
                letter: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success without content. */
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
                /** @description Id from the list. */
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
            /** @description Success. */
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
                /** @description Id from the list. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
                    /**
                     * @description A file for each day that has rows.
                     * @enum {unknown}
                     */
                    by?: "day";
                };
            };
        };
        responses: {
            /** @description Success. */
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
                            /** @description The only file; omitted by day. */
                            file?: string;
                            /** @description Rows of all files together. */
                            rows: number;
                            files: {
                                /** @description `2026-11-23`; by day only. */
                                day?: string;
                                file: string;
                                rows: number;
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
    postQuery: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Absolute path of the file, as this csiflow sees it. Default: the only store. */
                    store?: string;
                    /** @description One SELECT. */
                    sql: string;
                    /** @default 1000 */
                    max_rows?: number;
                    /** @default 10 */
                    timeout_s?: number;
                };
            };
        };
        responses: {
            /** @description Success. */
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
                            columns: {
                                name: string;
                                type: string;
                            }[];
                            rows: unknown[][];
                            /** @description There are more rows than `max_rows`, or than 16 MiB hold. */
                            truncated: boolean;
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
                /** @description Start of the range: ISO 8601, UTC by default; a date means its midnight. */
                start_time?: string;
                /** @description End of the range (exclusive), in the format of start_time; at most 90 days after it. */
                end_time?: string;
                /** @description Only successful actions. */
                account?: string;
                /** @description Only this outcome. */
                outcome?: "done" | "refused" | "failed";
                /** @description From 1. */
                page?: number;
                /** @description Entries per page. */
                per_page?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
            /** @description Success. */
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
            /** @description Success. */
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
                /** @description Start of the range: ISO 8601, UTC by default; a date means its midnight. */
                start_time?: string;
                /** @description End of the range (exclusive), in the format of start_time; at most 90 days after it. */
                end_time?: string;
                /** @description Only this group of current. */
                metric_type?: "performance" | "resources" | "business";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
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
