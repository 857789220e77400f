// Written by `npm run types` from the description of the API. Do not edit.

export interface paths {
    "/api/about": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What somebody should know before they sign up. */
        get: operations["about"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What was erased, when and why; each line seals the one before it. */
        get: operations["audit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/erasures/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Erases now what is due. */
        post: operations["run_erasures"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/line/sources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who talks on LINE: counts and times, never words. */
        get: operations["line_sources"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/line/sources/{source_id}/turns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What became of those who asked in one source: how turns ended and when, never words. */
        get: operations["line_turns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/line/try/{place}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Your own rehearsal so far: what can be heard, and how turns ended. */
        get: operations["try_bot"];
        put?: never;
        post?: never;
        /** Forgets your rehearsal, to begin anew. */
        delete: operations["try_anew"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/line/try/{place}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Says something to the bot, as a person or in a group. */
        post: operations["try_saying"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/line/try/{place}/messages/{message_id}/unsend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Takes back something that was said in your rehearsal. */
        post: operations["try_unsending"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Signs in with address and password. */
        post: operations["login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ends this sign-in; its tokens are worth nothing from now on. */
        post: operations["logout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Changes the password, and ends every sign-in. */
        post: operations["change_password"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Makes an account. */
        post: operations["register"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/chat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Says something in a session, or asks for another answer.
         * @description Takes our own body or that of the AI SDK's `useChat`.
         */
        post: operations["chat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/chat/{session_id}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stops the answer that is being given. */
        post: operations["stop"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/chat/{session_id}/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Hears the answer that is being given, from its beginning. */
        get: operations["resume"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This description as a page. */
        get: operations["docs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/docs.css": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How that page looks. */
        get: operations["docs_style"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/experts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who can be talked to. */
        get: operations["experts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This description, in `OpenAPI` 3.1. */
        get: operations["openapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Opens a session with an expert. */
        post: operations["open_session"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How a session of yours stands. */
        get: operations["session"];
        put?: never;
        post?: never;
        /** Erases a session and what was said in it. */
        delete: operations["forget_session"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{session_id}/end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ends a session before its time. */
        post: operations["end_session"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{session_id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What was said in a session, if it was kept. */
        get: operations["messages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/sessions/{session_id}/messages/{message_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Says something else instead, and hears the new answer. */
        put: operations["edit_message"];
        post?: never;
        /** Takes back something you said. */
        delete: operations["unsend_message"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/credits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How many sessions you may still open; null if they are not counted. */
        get: operations["credits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Your account. */
        get: operations["me"];
        put?: never;
        post?: never;
        /** Ends the account and erases everything of it. */
        delete: operations["delete_account"];
        options?: never;
        head?: never;
        /** Changes what you are called. */
        patch: operations["rename"];
        trace?: never;
    };
    "/api/users/me/consents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Every time you allowed or forbade that words are kept. */
        get: operations["consents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/me/erase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Erases everything you said; the account stays. */
        post: operations["erase"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/me/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Gives a copy of everything held on oneself.
         * @description One JSON object a line, each with its `type`; `docs/reference/export.md` lists them. A connection that
         *     breaks off means that it is not all.
         */
        get: operations["export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/me/preferences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether what you say is kept. */
        get: operations["preferences"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Allows or forbids that what you say is kept. */
        patch: operations["change_preferences"];
        trace?: never;
    };
    "/api/users/me/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Your sessions that were kept, newest first. */
        get: operations["sessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/worlds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Your worlds. */
        get: operations["worlds"];
        put?: never;
        /** Makes a world with one chat, and the agents of a template. */
        post: operations["make_world"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/worlds/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Worlds that are ready made, with agents. */
        get: operations["world_templates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/worlds/{world_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A world of yours. */
        get: operations["world"];
        put?: never;
        post?: never;
        /** Deletes a world with everything in it. */
        delete: operations["delete_world"];
        options?: never;
        head?: never;
        /** Changes a world; what is not named stays. */
        patch: operations["change_world"];
        trace?: never;
    };
    "/api/worlds/{world_id}/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The agents of a world. */
        get: operations["agents"];
        put?: never;
        /** Adds an agent. It hears what is said from now on. */
        post: operations["add_agent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/worlds/{world_id}/agents/{agent_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** An agent. */
        get: operations["agent"];
        put?: never;
        post?: never;
        /** Removes an agent. What it said stays. */
        delete: operations["delete_agent"];
        options?: never;
        head?: never;
        /** Changes an agent; what is not named stays. */
        patch: operations["change_agent"];
        trace?: never;
    };
    "/api/worlds/{world_id}/agents/{agent_id}/memory": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What an agent has heard and said in a chat, since it joined or was cleared. */
        get: operations["memory"];
        put?: never;
        post?: never;
        /** Lets an agent forget a chat, for itself only. */
        delete: operations["clear_memory"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/worlds/{world_id}/chats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The chats of a world. */
        get: operations["chats"];
        put?: never;
        /** Adds a chat. The current one stays current. */
        post: operations["add_chat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/worlds/{world_id}/chats/{chat_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Deletes a chat and what was said in it. If it was current, the newest remaining one is. */
        delete: operations["delete_chat"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/worlds/{world_id}/chats/{chat_id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A page of what was said in a chat. */
        get: operations["chat_messages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/worlds/{world_id}/edit-errors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Edits and removals that failed, oldest first. Each was made whole or not at all. */
        get: operations["edit_errors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/worlds/{world_id}/edits/{edit_id}/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Undoes an edit or a removal. */
        post: operations["undo_edit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/worlds/{world_id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Everything in a chat as it comes, from now on or from an event on that is known. */
        get: operations["world_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/worlds/{world_id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Says something to the agents of a world. */
        post: operations["say_in_world"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/worlds/{world_id}/messages/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Stops the running round. */
        post: operations["stop_in_world"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/worlds/{world_id}/messages/{message_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Forgets a message and everything after it, and says something else instead. */
        put: operations["edit_in_world"];
        post?: never;
        /** Forgets a message and everything after it. */
        delete: operations["remove_in_world"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/worlds/{world_id}/messages/{message_id}/count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What an edit or a delete of a message would remove. */
        get: operations["count_removal"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/worlds/{world_id}/messages/{message_id}/unsend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Takes back one message; again is the same. */
        post: operations["unsend_in_world"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/worlds/{world_id}/setChat/{chat_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Makes a chat the current one: session mode is on. */
        post: operations["set_chat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/worlds/{world_id}/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether somebody answers, and who. */
        get: operations["world_status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the server lives. */
        get: operations["alive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/line/webhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Takes what LINE delivers.
         * @description There only if LINE's credentials are set. The signature is over the raw body.
         */
        post: operations["line_webhook"];
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
        /** Counters and timings, for Prometheus. */
        get: operations["metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the server can work, and which model answers. */
        get: operations["ready"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lets the owner of a new installation in, once. */
        get: operations["setup"];
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
        About: {
            consent: components["schemas"]["AboutConsent"];
            /** @description Who reads what is said. */
            model: components["schemas"]["ModelSeat"];
            /** @description Whether strangers may sign up. */
            registration_open: boolean;
            /**
             * Format: int64
             * @description How long an edit in a world can be undone; zero: not at all.
             */
            undo_seconds: number;
        };
        AboutConsent: {
            /**
             * Format: int64
             * @description From withdrawal to erasure.
             */
            grace_seconds: number;
            /** @description The notice of the operator's own; null is the built-in one, which the page says itself. */
            notice: string | null;
            /** @description The name of the notice in the consent ledger. */
            notice_version: string;
        };
        /** @description An agent. */
        Agent: {
            /** @description Whether it answers without being mentioned. */
            autoReply: boolean;
            /** @description Made from its first name. */
            id: string;
            /** @description If not the installation's. */
            model?: string;
            name: string;
            /** @description Of its model, if not the installation's. */
            provider?: string;
            /** @description What it is told to be. */
            systemPrompt: string;
        };
        AgentChange: {
            autoReply?: boolean;
            /** @description Null: the installation's. */
            model?: string | null;
            /** @description The id stays as it is. */
            name?: string;
            /** @description Null: the installation's. */
            provider?: string | null;
            systemPrompt?: string;
        };
        Alive: {
            /** @enum {string} */
            status: "ok";
        };
        Audit: {
            audit: components["schemas"]["AuditLine"][];
        };
        AuditLine: {
            /** Format: date-time */
            at: string;
            hash: string;
            /** Format: int64 */
            id: number;
            /** Format: int64 */
            media: number;
            /** Format: int64 */
            messages: number;
            prev_hash: string;
            reason: string;
            /** Format: int64 */
            sessions: number;
            user_id: string;
        };
        /** @description A chat. */
        Chat: {
            /** Format: date-time */
            createdAt: string;
            id: string;
            /** Format: int64 */
            messageCount: number;
            name: string;
            /** @description Whether what is said in it is kept. */
            stored: boolean;
        };
        /** @description Something to say, in one of two shapes. */
        ChatBody: components["schemas"]["Said"] | components["schemas"]["UiMessages"];
        ConsentLine: {
            /** Format: date-time */
            at: string;
            /** @description Where you said so. */
            door: string;
            granted: boolean;
            /** @description Which notice you were shown. */
            notice_version: string;
        };
        Consents: {
            consents: components["schemas"]["ConsentLine"][];
        };
        Credentials: {
            email: string;
            /** Format: password */
            password: string;
        };
        Credits: {
            /** Format: int32 */
            free_remaining: number | null;
            /** Format: int32 */
            paid_remaining: number | null;
            /** Format: int32 */
            total_available: number | null;
            user_id: string;
        };
        Done: {
            /** @enum {string} */
            status: "ok";
        };
        /** @description One of them. */
        EditError: {
            /** Format: date-time */
            at: string;
            chatId: string;
            code: string;
            id: string;
            messageId: string;
        };
        EndedSession: {
            /** Format: int64 */
            duration_used_seconds: number;
            /** Format: uuid */
            session_id: string;
            /** @enum {string} */
            status: "active" | "expired" | "ended";
        };
        /** @description What every refusal and every failure looks like. */
        Error: {
            code: string;
            /** @description Which field is wrong, and why. */
            details?: Record<string, never>;
            /** @description What happened, for people. */
            error: string;
            /** @description What to do about it. */
            message?: string;
            /** @description The same as in the header, and in the log of the server. */
            request_id: string;
        };
        Expert: {
            description: string;
            id: string;
            name: string;
        };
        ExpertList: {
            experts: components["schemas"]["Expert"][];
        };
        InChat: {
            /** @description The chat. */
            chatId: string;
        };
        InChatOrNot: {
            /** @description The chat, here or in the query. */
            chatId?: string;
        };
        LastDecision: {
            /** Format: date-time */
            at: string;
            /** @enum {string} */
            decision: "answered" | "silent" | "failed" | "stopped" | "cancelled" | "released";
        };
        LoggedIn: {
            /**
             * Format: int64
             * @description In seconds.
             */
            expires_in: number;
            /** @description Missing if it is in the cookie. */
            token?: string | null;
            /** @enum {string} */
            token_type: "Bearer";
            user: components["schemas"]["User"];
        };
        Me: {
            /** @enum {string} */
            account_type: "user" | "admin";
            /** Format: date-time */
            created_at: string;
            display_name: string;
            email: string;
            id: string;
            preferences: components["schemas"]["Preferences"];
        };
        Message: {
            content: string;
            id: string;
            /** @enum {string} */
            role: "user" | "assistant";
            /** Format: date-time */
            timestamp: string;
        };
        MessagePage: {
            /** @description Whether there are older ones. */
            hasMore: boolean;
            /** @description Oldest first. */
            messages: components["schemas"]["WorldMessage"][];
            /** @description Whether they are kept. */
            stored: boolean;
        };
        Messages: {
            messages: components["schemas"]["Message"][];
            /** Format: uuid */
            session_id: string;
        };
        /** @description Who the model is and where it sits, as people are told. */
        ModelSeat: {
            /** @description The host that reads the words; none if they stay in this process. */
            host: string | null;
            /** @description The provider's name: `openai`, `gemini`, `anthropic` or `demo`. */
            provider: string;
        };
        NewAgent: {
            /** @description Whether it answers without being mentioned. */
            autoReply?: boolean;
            /** @description If not the installation's. */
            model?: string | null;
            /** @description With at least one letter or digit: its id is made from it. */
            name: string;
            /** @description Of its model, if not the installation's. */
            provider?: string | null;
            /** @description What it is told to be. */
            systemPrompt?: string;
        };
        NewChat: {
            name?: string;
        };
        NewPassword: {
            /** Format: password */
            current_password: string;
            /** Format: password */
            new_password: string;
        };
        NewWords: {
            /** @description Not only white space. */
            message: string;
        };
        NewWorld: {
            /** @description One of those agents. */
            mainAgent?: string | null;
            /** @description With at least one letter or digit: its id is made from it. */
            name: string;
            /** @description One of the templates, for its agents. */
            template?: string | null;
            /**
             * Format: int32
             * @description 5 unless said otherwise.
             */
            turnLimit?: number;
        };
        Opened: {
            session: components["schemas"]["OpenedSession"];
            /** @enum {string} */
            status: "ok";
        };
        OpenedSession: {
            /**
             * Format: int32
             * @description Null if it is not timed.
             */
            duration_minutes: number | null;
            expert_id: string | null;
            /** Format: date-time */
            expires_at: string | null;
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            session_type: "freemium" | "paid";
            /** Format: date-time */
            started_at: string;
            /** @enum {string} */
            status: "active" | "expired" | "ended";
            /** @description Whether what is said in it is kept. */
            stored: boolean;
        };
        Preferences: {
            /**
             * Format: date-time
             * @description When what was kept is erased, if it is going to be.
             */
            history_deletion_scheduled_at: string | null;
            /** @description Whether what you say is kept. */
            store_history: boolean;
            /** Format: date-time */
            store_history_changed_at: string;
        };
        Proof: {
            /** Format: password */
            password: string;
        };
        Ran: {
            /** Format: int64 */
            erased: number;
        };
        Ready: {
            /** @enum {string} */
            database: "ok";
            model: components["schemas"]["ModelSeat"];
            /** @enum {string} */
            status: "ready";
        };
        Registered: {
            message: string;
            /** @enum {string} */
            status: "ok";
            /** Format: uuid */
            user_id: string;
        };
        Registration: {
            /** Format: email */
            email: string;
            /** @description What you want to be called. `display_name` is taken in its place. */
            name: string;
            /** Format: password */
            password: string;
            /** @description Whether what you say may be kept; no, unless you say so. */
            store_history_consent?: boolean | null;
        };
        Rehearsal: {
            /** @description Whether an answer is owed or on its way. */
            answering: boolean;
            messages: components["schemas"]["RehearsedMessage"][];
            /** @enum {string} */
            place: "person" | "group";
            /** @description Never: it is gone with the server. */
            stored: boolean;
            turns: components["schemas"]["Turn"][];
        };
        RehearsedMessage: {
            /** Format: date-time */
            created_at: string;
            /** @enum {string} */
            from: "person" | "bot";
            id: string;
            name: string;
            text: string;
        };
        RemovalCount: {
            /**
             * Format: int64
             * @description How many messages, this one included.
             */
            count: number;
            /** @description Whether it is the first of the chat. */
            isFirst: boolean;
            /** @description The first of them, at most ten. */
            preview: components["schemas"]["RemovalPreview"][];
        };
        RemovalPreview: {
            /** @description `human`, or the id of an agent. */
            sender: string;
            text: string;
        };
        /** @description What an edit or a removal did. It is one commit, so nothing of it can have failed. */
        RemovalResult: {
            /** @description Under which it can be undone. */
            editId?: string;
            /** @description Always empty. */
            failedAgents: string[];
            messageId: string;
            /**
             * Format: int64
             * @description Messages, not copies of them.
             */
            messagesRemovedTotal: number;
            /** @description What was said instead. */
            newMessageId?: string;
            processedAgents: string[];
            /** @description Always false. */
            requiresRetry: boolean;
            resubmissionStatus: components["schemas"]["Resubmission"];
            success: boolean;
            totalAgents: number;
        };
        Rename: {
            /** @description Not only white space. */
            display_name: string;
        };
        /** @enum {string} */
        Resubmission: "success" | "skipped";
        /** @description Something to say. */
        Said: {
            client_message_id?: string | null;
            /** @description Not only white space. */
            message: string;
            /** Format: uuid */
            session_id: string;
        };
        Session: {
            /** @description Who answers; null if that is not known any more. */
            expert_id: string | null;
            /** Format: date-time */
            expires_at: string | null;
            /**
             * Format: int64
             * @description Null if it is not timed.
             */
            remaining_seconds: number | null;
            /** Format: uuid */
            session_id: string;
            /** @enum {string} */
            session_type: "freemium" | "paid";
            /** Format: date-time */
            started_at: string;
            /** @enum {string} */
            status: "active" | "expired" | "ended";
            /** @description Whether what is said in it now is kept. */
            stored: boolean;
        };
        SessionLine: {
            /** Format: date-time */
            ended_at: string | null;
            expert_id: string | null;
            expert_name: string | null;
            /** Format: uuid */
            id: string;
            /** @description The beginning of the newest message. */
            last_message_preview: string | null;
            /** Format: int64 */
            message_count: number;
            /** @enum {string} */
            session_type: "freemium" | "paid";
            /** Format: date-time */
            started_at: string;
        };
        SessionList: {
            has_more: boolean;
            /** @description Why there are none. */
            message?: string | null;
            sessions: components["schemas"]["SessionLine"][];
            /** Format: int64 */
            total: number;
        };
        Source: {
            id: string;
            /** @enum {string} */
            kind: "user" | "group" | "room";
            /** Format: date-time */
            last_activity: string | null;
            last_decision: components["schemas"]["LastDecision"] | null;
            /** Format: int64 */
            messages: number;
            /** @description Whether what is said there is kept; otherwise it is gone when the server restarts. */
            stored: boolean;
        };
        Sources: {
            has_more: boolean;
            sources: components["schemas"]["Source"][];
        };
        Stopped: {
            /** @enum {string} */
            status: "ok";
            /** @description Whether there was an answer to stop. */
            stopped: boolean;
        };
        /** @description What every event of a stream looks like, for whoever reads about it. */
        StreamEvent: {
            /** @description A part of the AI SDK's UI message stream in JSON, and at the end `[DONE]`. */
            data: string;
        };
        Template: {
            description: string;
            id: string;
            name: string;
        };
        TriedSaying: {
            /** Format: date-time */
            created_at: string;
            id: string;
        };
        TriedUnsending: {
            id: string;
            /** @enum {string} */
            status: "unsent";
        };
        /** @enum {string} */
        Trigger: "submit-message" | "regenerate-message";
        TrySaying: {
            /** @description Whether it mentions the bot, as LINE marks it. */
            mention?: boolean;
            /** @description Who says it; in a group every name is somebody else. */
            name?: string;
            /** @description At most 5000 UTF-16 units, as on LINE. */
            text: string;
        };
        Turn: {
            /** Format: date-time */
            began_at: string;
            /** @description What broke, if something did. */
            code: string | null;
            /** @enum {string} */
            decision: "answered" | "silent" | "failed" | "stopped" | "cancelled" | "released";
            /** Format: date-time */
            ended_at: string;
            /** Format: int64 */
            id: number;
        };
        Turns: {
            has_more: boolean;
            turns: components["schemas"]["Turn"][];
        };
        /** @description A message as a client has it; only the last one of a person counts, and the rest is the client's. */
        UiMessage: {
            id?: string | null;
            /** @description Only those of the type `text` count. */
            parts?: unknown[];
            role: string;
        };
        /** @description What `useChat` sends; only the last message of the user counts. */
        UiMessages: {
            /**
             * Format: uuid
             * @description The session.
             */
            id: string;
            messageId?: string | null;
            messages: components["schemas"]["UiMessage"][];
            trigger?: components["schemas"]["Trigger"] | null;
        };
        Undone: {
            /**
             * Format: int64
             * @description How many are.
             */
            count: number;
            editId: string;
            /** @description The first message that is back, if any is. */
            fromMessageId?: string;
        };
        UnsentInWorld: {
            messageId: string;
            /** @description Answers that lost their words with it. */
            withdrawn: string[];
        };
        User: {
            /** @enum {string} */
            account_type: "user" | "admin";
            display_name: string;
            email: string;
            /** Format: uuid */
            id: string;
        };
        WantedPreferences: {
            store_history: boolean;
        };
        WantedSession: {
            /** @description One of the experts; the first of them if none is named. */
            expert_id?: string | null;
        };
        /** @description A world. */
        World: {
            agentCount: number;
            /** @description Oldest first. */
            chats: components["schemas"]["Chat"][];
            /** @description Null is session mode off. */
            currentChatId: string | null;
            /** @description Made from its first name. */
            id: string;
            /** @description The agent that answers alone when nobody is mentioned. */
            mainAgent: string | null;
            name: string;
            /** @description Whether what is said in it is kept. */
            stored: boolean;
            /**
             * Format: int32
             * @description Model calls per agent since a person last spoke.
             */
            turnLimit: number;
        };
        /** @description What was answered. */
        WorldAnswers: {
            /** @description If nobody answered because something broke: what. */
            error?: components["schemas"]["WorldFailure"];
            /** @description What was said. */
            messageId: string;
            /** @description The answers to it. */
            messages: components["schemas"]["WorldMessage"][];
            /** @description Of an edit: what it removed. */
            removal?: components["schemas"]["RemovalResult"];
            /** @description Whether all of it is kept. */
            stored: boolean;
        };
        WorldChange: {
            /** @description Null turns session mode off. */
            currentChatId?: string | null;
            /** @description Null: all agents answer again. */
            mainAgent?: string | null;
            /** @description The id stays as it is. */
            name?: string;
            /** Format: int32 */
            turnLimit?: number;
        };
        WorldEdit: {
            chatId: string;
            /** @description Not only white space. */
            newContent: string;
            /** @description Whether the answers come as they are given; they do if nothing is said. */
            stream?: boolean;
        };
        WorldFailure: {
            code: string;
            error: string;
        };
        /** @description A message. */
        WorldMessage: {
            /** @description Of an agent's only. */
            agentId?: string;
            chatId: string;
            content: string;
            /** Format: date-time */
            createdAt: string;
            messageId: string;
            /** @description What it answers, if that is known. */
            replyToMessageId?: string;
            /** @enum {string} */
            role: "user" | "assistant";
            /** @description The agents in whose memory it is, in order of creation. */
            seenByAgents: string[];
            /** @description `human`, or the id of an agent. */
            sender: string;
            /**
             * @description `false` for what was said without consent in a conversation that is kept by now: it is gone when
             *     the server restarts. Left out otherwise.
             */
            stored?: boolean;
        };
        WorldStatus: {
            activeAgents: string[];
            /** @description Whether a round runs or is about to, on whichever server. */
            isProcessing: boolean;
            /** @description Whether what is said is kept. */
            stored: boolean;
        };
        /** @description What every event of a stream looks like, for whoever reads about it. */
        WorldStreamEvent: {
            /**
             * @description `{"type": T, "data": {…}}` in JSON. `T` is `message`, `removed`, `restored`, `sse`, `world`,
             *     `system`, `error` or `reset`.
             */
            data: string;
            /** @description Of `message`, `removed` and `restored`: whoever gives it back as `Last-Event-ID` goes on there. */
            id?: string | null;
        };
        WorldWords: {
            /** @description The current chat if none is named. */
            chatId?: string;
            /** @description Not only white space. */
            message: string;
            /** @description Whether the answers come as they are given; they do if nothing is said. */
            stream?: boolean;
        };
    };
    responses: {
        /** @description `BODY_TOO_LARGE`: The body is too large */
        BODY_TOO_LARGE: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "BODY_TOO_LARGE";
                };
            };
        };
        /** @description `BODY_TOO_SLOW`: The body did not arrive in time */
        BODY_TOO_SLOW: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "BODY_TOO_SLOW";
                };
            };
        };
        /** @description `EMAIL_TAKEN`: Email already registered */
        EMAIL_TAKEN: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "EMAIL_TAKEN";
                };
            };
        };
        /** @description `FORBIDDEN`: Not allowed */
        FORBIDDEN: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "FORBIDDEN";
                };
            };
        };
        /** @description `FORBIDDEN`: Not allowed. `WRONG_ORIGIN`: Request from another origin */
        "FORBIDDEN-WRONG_ORIGIN": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "FORBIDDEN" | "WRONG_ORIGIN";
                };
            };
        };
        /** @description `IDEMPOTENCY_KEY_REUSED`: This Idempotency-Key was used with another body */
        IDEMPOTENCY_KEY_REUSED: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "IDEMPOTENCY_KEY_REUSED";
                };
            };
        };
        /** @description `INTERNAL`: Something went wrong here */
        INTERNAL: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "INTERNAL";
                };
            };
        };
        /** @description `INVALID_CREDENTIALS`: Invalid email or password */
        INVALID_CREDENTIALS: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "INVALID_CREDENTIALS";
                };
            };
        };
        /** @description `INVALID_SIGNATURE`: Signature missing or wrong */
        INVALID_SIGNATURE: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "INVALID_SIGNATURE";
                };
            };
        };
        /** @description `NOT_FOUND`: No such path */
        NOT_FOUND: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "NOT_FOUND";
                };
            };
        };
        /** @description `NOT_FOUND`: No such path. `MESSAGE_NOT_FOUND`: Message not found */
        "NOT_FOUND-MESSAGE_NOT_FOUND": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "NOT_FOUND" | "MESSAGE_NOT_FOUND";
                };
            };
        };
        /** @description `NO_CREDITS`: No session credits left */
        NO_CREDITS: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "NO_CREDITS";
                };
            };
        };
        /** @description `RATE_LIMITED`: Too many requests */
        RATE_LIMITED: {
            headers: {
                /** @description After how many seconds it may go better. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "RATE_LIMITED";
                };
            };
        };
        /** @description `REGISTRATION_CLOSED`: Registration is closed */
        REGISTRATION_CLOSED: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "REGISTRATION_CLOSED";
                };
            };
        };
        /** @description `SESSION_BUSY`: The session is still answering */
        SESSION_BUSY: {
            headers: {
                /** @description After how many seconds it may go better. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "SESSION_BUSY";
                };
            };
        };
        /** @description `SESSION_NOT_FOUND`: Session not found or history storage disabled */
        SESSION_NOT_FOUND: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "SESSION_NOT_FOUND";
                };
            };
        };
        /** @description `SESSION_NOT_FOUND`: Session not found or history storage disabled. `MESSAGE_NOT_FOUND`: Message not found */
        "SESSION_NOT_FOUND-MESSAGE_NOT_FOUND": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "SESSION_NOT_FOUND" | "MESSAGE_NOT_FOUND";
                };
            };
        };
        /** @description `SETUP_LINK_INVALID`: This link was used, is too old or is wrong */
        SETUP_LINK_INVALID: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "SETUP_LINK_INVALID";
                };
            };
        };
        /** @description `STORAGE_FULL`: Storage is full */
        STORAGE_FULL: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "STORAGE_FULL";
                };
            };
        };
        /** @description `STORAGE_UNAVAILABLE`: Storage does not answer */
        STORAGE_UNAVAILABLE: {
            headers: {
                /** @description After how many seconds it may go better. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "STORAGE_UNAVAILABLE";
                };
            };
        };
        /** @description `STORAGE_UNAVAILABLE`: Storage does not answer. `STORAGE_DAMAGED`: Stored data cannot be read */
        "STORAGE_UNAVAILABLE-STORAGE_DAMAGED": {
            headers: {
                /** @description After how many seconds it may go better. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "STORAGE_UNAVAILABLE" | "STORAGE_DAMAGED";
                };
            };
        };
        /** @description `UNAUTHENTICATED`: Authentication required */
        UNAUTHENTICATED: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "UNAUTHENTICATED";
                };
            };
        };
        /** @description `UNDO_EXPIRED`: Cannot undo: the time for it has passed */
        UNDO_EXPIRED: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "UNDO_EXPIRED";
                };
            };
        };
        /** @description `UNSUPPORTED_MEDIA_TYPE`: Content type not supported */
        UNSUPPORTED_MEDIA_TYPE: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "UNSUPPORTED_MEDIA_TYPE";
                };
            };
        };
        /** @description `VALIDATION_ERROR`: The request is not valid */
        VALIDATION_ERROR: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "VALIDATION_ERROR";
                };
            };
        };
        /** @description `VALIDATION_ERROR`: The request is not valid. `INVALID_MESSAGE_TYPE`: This can only be done with a person's message */
        "VALIDATION_ERROR-INVALID_MESSAGE_TYPE": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "VALIDATION_ERROR" | "INVALID_MESSAGE_TYPE";
                };
            };
        };
        /** @description `VALIDATION_ERROR`: The request is not valid. `UNKNOWN_EXPERT`: Unknown expert */
        "VALIDATION_ERROR-UNKNOWN_EXPERT": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "VALIDATION_ERROR" | "UNKNOWN_EXPERT";
                };
            };
        };
        /** @description `VERSION_CONFLICT`: Changed by somebody else meanwhile */
        VERSION_CONFLICT: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "VERSION_CONFLICT";
                };
            };
        };
        /** @description `VERSION_CONFLICT`: Changed by somebody else meanwhile. `AGENT_EXISTS`: An agent of this name exists. `LIMIT_REACHED`: The limit of this installation is reached */
        "VERSION_CONFLICT-AGENT_EXISTS-LIMIT_REACHED": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "VERSION_CONFLICT" | "AGENT_EXISTS" | "LIMIT_REACHED";
                };
            };
        };
        /** @description `VERSION_CONFLICT`: Changed by somebody else meanwhile. `SESSION_NOT_ACTIVE`: The session is over */
        "VERSION_CONFLICT-SESSION_NOT_ACTIVE": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "VERSION_CONFLICT" | "SESSION_NOT_ACTIVE";
                };
            };
        };
        /** @description `VERSION_CONFLICT`: Changed by somebody else meanwhile. `SESSION_OFF`: Cannot resubmit: session mode is OFF */
        "VERSION_CONFLICT-SESSION_OFF": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "VERSION_CONFLICT" | "SESSION_OFF";
                };
            };
        };
        /** @description `VERSION_CONFLICT`: Changed by somebody else meanwhile. `SESSION_OFF`: Cannot resubmit: session mode is OFF. `UNDO_BLOCKED`: Cannot undo: the chat went on since */
        "VERSION_CONFLICT-SESSION_OFF-UNDO_BLOCKED": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "VERSION_CONFLICT" | "SESSION_OFF" | "UNDO_BLOCKED";
                };
            };
        };
        /** @description `VERSION_CONFLICT`: Changed by somebody else meanwhile. `WORLD_EXISTS`: A world of this name exists. `LIMIT_REACHED`: The limit of this installation is reached */
        "VERSION_CONFLICT-WORLD_EXISTS-LIMIT_REACHED": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "VERSION_CONFLICT" | "WORLD_EXISTS" | "LIMIT_REACHED";
                };
            };
        };
        /** @description `WORLD_LOCKED`: Cannot edit messages while agents are responding */
        WORLD_LOCKED: {
            headers: {
                /** @description After how many seconds it may go better. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "WORLD_LOCKED";
                };
            };
        };
        /** @description `WORLD_NOT_FOUND`: World not found */
        WORLD_NOT_FOUND: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "WORLD_NOT_FOUND";
                };
            };
        };
        /** @description `WORLD_NOT_FOUND`: World not found. `AGENT_NOT_FOUND`: Agent not found */
        "WORLD_NOT_FOUND-AGENT_NOT_FOUND": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "WORLD_NOT_FOUND" | "AGENT_NOT_FOUND";
                };
            };
        };
        /** @description `WORLD_NOT_FOUND`: World not found. `AGENT_NOT_FOUND`: Agent not found. `CHAT_NOT_FOUND`: Chat not found */
        "WORLD_NOT_FOUND-AGENT_NOT_FOUND-CHAT_NOT_FOUND": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "WORLD_NOT_FOUND" | "AGENT_NOT_FOUND" | "CHAT_NOT_FOUND";
                };
            };
        };
        /** @description `WORLD_NOT_FOUND`: World not found. `CHAT_NOT_FOUND`: Chat not found */
        "WORLD_NOT_FOUND-CHAT_NOT_FOUND": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "WORLD_NOT_FOUND" | "CHAT_NOT_FOUND";
                };
            };
        };
        /** @description `WORLD_NOT_FOUND`: World not found. `CHAT_NOT_FOUND`: Chat not found. `MESSAGE_NOT_FOUND`: Message not found */
        "WORLD_NOT_FOUND-CHAT_NOT_FOUND-MESSAGE_NOT_FOUND": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "WORLD_NOT_FOUND" | "CHAT_NOT_FOUND" | "MESSAGE_NOT_FOUND";
                };
            };
        };
        /** @description `WORLD_NOT_FOUND`: World not found. `EDIT_NOT_FOUND`: Edit not found */
        "WORLD_NOT_FOUND-EDIT_NOT_FOUND": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "WORLD_NOT_FOUND" | "EDIT_NOT_FOUND";
                };
            };
        };
        /** @description `WRONG_ORIGIN`: Request from another origin */
        WRONG_ORIGIN: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "WRONG_ORIGIN";
                };
            };
        };
        /** @description `WRONG_ORIGIN`: Request from another origin. `WRONG_PASSWORD`: Wrong password */
        "WRONG_ORIGIN-WRONG_PASSWORD": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"] & {
                    /** @enum {unknown} */
                    code?: "WRONG_ORIGIN" | "WRONG_PASSWORD";
                };
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    about: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As this installation is set up */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["About"];
                };
            };
            500: components["responses"]["INTERNAL"];
        };
    };
    audit: {
        parameters: {
            query?: {
                limit?: number;
                before?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The newest, oldest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Audit"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHENTICATED"];
            403: components["responses"]["FORBIDDEN"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
        };
    };
    run_erasures: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key, the same call takes effect once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How many people were erased */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ran"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHENTICATED"];
            403: components["responses"]["FORBIDDEN-WRONG_ORIGIN"];
            408: components["responses"]["BODY_TOO_SLOW"];
            409: components["responses"]["VERSION_CONFLICT"];
            413: components["responses"]["BODY_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            422: components["responses"]["IDEMPOTENCY_KEY_REUSED"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
            507: components["responses"]["STORAGE_FULL"];
        };
    };
    line_sources: {
        parameters: {
            query?: {
                limit?: number;
                /** @description Only sources after this one. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description In the order of their ids */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Sources"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHENTICATED"];
            403: components["responses"]["FORBIDDEN"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
        };
    };
    line_turns: {
        parameters: {
            query?: {
                limit?: number;
                before?: number;
            };
            header?: never;
            path: {
                source_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Turns"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHENTICATED"];
            403: components["responses"]["FORBIDDEN"];
            404: components["responses"]["NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
        };
    };
    try_bot: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                place: "person" | "group";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Messages oldest first, turns newest first */
            200: {
                headers: {
                    /** @description Whether what this is about is stored, or in memory only. */
                    "Unsaid-Stored"?: "true" | "false";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rehearsal"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHENTICATED"];
            403: components["responses"]["FORBIDDEN"];
            404: components["responses"]["NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
        };
    };
    try_anew: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key, the same call takes effect once. */
                "Idempotency-Key"?: string;
            };
            path: {
                place: "person" | "group";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is forgotten */
            204: {
                headers: {
                    /** @description Whether what this is about is stored, or in memory only. */
                    "Unsaid-Stored"?: "true" | "false";
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHENTICATED"];
            403: components["responses"]["FORBIDDEN-WRONG_ORIGIN"];
            404: components["responses"]["NOT_FOUND"];
            408: components["responses"]["BODY_TOO_SLOW"];
            409: components["responses"]["VERSION_CONFLICT"];
            413: components["responses"]["BODY_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            422: components["responses"]["IDEMPOTENCY_KEY_REUSED"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
            507: components["responses"]["STORAGE_FULL"];
        };
    };
    try_saying: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key, the same call takes effect once. */
                "Idempotency-Key"?: string;
            };
            path: {
                place: "person" | "group";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TrySaying"];
            };
        };
        responses: {
            /** @description It was heard; whether the bot answers is its decision */
            201: {
                headers: {
                    /** @description Whether what this is about is stored, or in memory only. */
                    "Unsaid-Stored"?: "true" | "false";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriedSaying"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHENTICATED"];
            403: components["responses"]["FORBIDDEN-WRONG_ORIGIN"];
            404: components["responses"]["NOT_FOUND"];
            408: components["responses"]["BODY_TOO_SLOW"];
            409: components["responses"]["VERSION_CONFLICT"];
            413: components["responses"]["BODY_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            422: components["responses"]["IDEMPOTENCY_KEY_REUSED"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
            507: components["responses"]["STORAGE_FULL"];
        };
    };
    try_unsending: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key, the same call takes effect once. */
                "Idempotency-Key"?: string;
            };
            path: {
                place: "person" | "group";
                message_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone */
            200: {
                headers: {
                    /** @description Whether what this is about is stored, or in memory only. */
                    "Unsaid-Stored"?: "true" | "false";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriedUnsending"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHENTICATED"];
            403: components["responses"]["FORBIDDEN-WRONG_ORIGIN"];
            404: components["responses"]["NOT_FOUND-MESSAGE_NOT_FOUND"];
            408: components["responses"]["BODY_TOO_SLOW"];
            409: components["responses"]["VERSION_CONFLICT"];
            413: components["responses"]["BODY_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            422: components["responses"]["IDEMPOTENCY_KEY_REUSED"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
            507: components["responses"]["STORAGE_FULL"];
        };
    };
    login: {
        parameters: {
            query?: {
                /** @description Puts the token into a cookie that scripts cannot read, and not into the answer. */
                cookie?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Credentials"];
            };
        };
        responses: {
            /** @description Signed in */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoggedIn"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["INVALID_CREDENTIALS"];
            408: components["responses"]["BODY_TOO_SLOW"];
            413: components["responses"]["BODY_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
            507: components["responses"]["STORAGE_FULL"];
        };
    };
    logout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Signed out */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHENTICATED"];
            403: components["responses"]["WRONG_ORIGIN"];
            408: components["responses"]["BODY_TOO_SLOW"];
            409: components["responses"]["VERSION_CONFLICT"];
            413: components["responses"]["BODY_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
            507: components["responses"]["STORAGE_FULL"];
        };
    };
    change_password: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPassword"];
            };
        };
        responses: {
            /** @description Changed */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHENTICATED"];
            403: components["responses"]["WRONG_ORIGIN-WRONG_PASSWORD"];
            408: components["responses"]["BODY_TOO_SLOW"];
            409: components["responses"]["VERSION_CONFLICT"];
            413: components["responses"]["BODY_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
            507: components["responses"]["STORAGE_FULL"];
        };
    };
    register: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Registration"];
            };
        };
        responses: {
            /** @description The account is there */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Registered"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            403: components["responses"]["REGISTRATION_CLOSED"];
            408: components["responses"]["BODY_TOO_SLOW"];
            409: components["responses"]["EMAIL_TAKEN"];
            413: components["responses"]["BODY_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
            507: components["responses"]["STORAGE_FULL"];
        };
    };
    chat: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key, the same call takes effect once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChatBody"];
            };
        };
        responses: {
            /** @description The answer as it comes: frames of the AI SDK's UI message stream */
            200: {
                headers: {
                    /** @description Whether what this is about is stored, or in memory only. */
                    "Unsaid-Stored"?: "true" | "false";
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["StreamEvent"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR-INVALID_MESSAGE_TYPE"];
            401: components["responses"]["UNAUTHENTICATED"];
            403: components["responses"]["WRONG_ORIGIN"];
            404: components["responses"]["SESSION_NOT_FOUND-MESSAGE_NOT_FOUND"];
            408: components["responses"]["BODY_TOO_SLOW"];
            409: components["responses"]["VERSION_CONFLICT-SESSION_NOT_ACTIVE"];
            413: components["responses"]["BODY_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            422: components["responses"]["IDEMPOTENCY_KEY_REUSED"];
            423: components["responses"]["SESSION_BUSY"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
            507: components["responses"]["STORAGE_FULL"];
        };
    };
    stop: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key, the same call takes effect once. */
                "Idempotency-Key"?: string;
            };
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Nothing more is said */
            200: {
                headers: {
                    /** @description Whether what this is about is stored, or in memory only. */
                    "Unsaid-Stored"?: "true" | "false";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Stopped"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHENTICATED"];
            403: components["responses"]["WRONG_ORIGIN"];
            404: components["responses"]["SESSION_NOT_FOUND"];
            408: components["responses"]["BODY_TOO_SLOW"];
            409: components["responses"]["VERSION_CONFLICT"];
            413: components["responses"]["BODY_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            422: components["responses"]["IDEMPOTENCY_KEY_REUSED"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
            507: components["responses"]["STORAGE_FULL"];
        };
    };
    resume: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer as it comes: frames of the AI SDK's UI message stream */
            200: {
                headers: {
                    /** @description Whether what this is about is stored, or in memory only. */
                    "Unsaid-Stored"?: "true" | "false";
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["StreamEvent"];
                };
            };
            /** @description Nothing is being answered */
            204: {
                headers: {
                    /** @description Whether what this is about is stored, or in memory only. */
                    "Unsaid-Stored"?: "true" | "false";
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHENTICATED"];
            404: components["responses"]["SESSION_NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
        };
    };
    docs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            500: components["responses"]["INTERNAL"];
        };
    };
    docs_style: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Its style */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/css": string;
                };
            };
            500: components["responses"]["INTERNAL"];
        };
    };
    experts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExpertList"];
                };
            };
            401: components["responses"]["UNAUTHENTICATED"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
        };
    };
    openapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            500: components["responses"]["INTERNAL"];
        };
    };
    open_session: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key, the same call takes effect once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["WantedSession"] | null;
            };
        };
        responses: {
            /** @description It is open */
            201: {
                headers: {
                    /** @description Whether what this is about is stored, or in memory only. */
                    "Unsaid-Stored"?: "true" | "false";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Opened"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR-UNKNOWN_EXPERT"];
            401: components["responses"]["UNAUTHENTICATED"];
            402: components["responses"]["NO_CREDITS"];
            403: components["responses"]["WRONG_ORIGIN"];
            404: components["responses"]["SESSION_NOT_FOUND"];
            408: components["responses"]["BODY_TOO_SLOW"];
            409: components["responses"]["VERSION_CONFLICT"];
            413: components["responses"]["BODY_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            422: components["responses"]["IDEMPOTENCY_KEY_REUSED"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
            507: components["responses"]["STORAGE_FULL"];
        };
    };
    session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session */
            200: {
                headers: {
                    /** @description Whether what this is about is stored, or in memory only. */
                    "Unsaid-Stored"?: "true" | "false";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHENTICATED"];
            404: components["responses"]["SESSION_NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
        };
    };
    forget_session: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key, the same call takes effect once. */
                "Idempotency-Key"?: string;
            };
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone */
            204: {
                headers: {
                    /** @description Whether what this is about is stored, or in memory only. */
                    "Unsaid-Stored"?: "true" | "false";
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHENTICATED"];
            403: components["responses"]["WRONG_ORIGIN"];
            404: components["responses"]["SESSION_NOT_FOUND"];
            408: components["responses"]["BODY_TOO_SLOW"];
            409: components["responses"]["VERSION_CONFLICT"];
            413: components["responses"]["BODY_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            422: components["responses"]["IDEMPOTENCY_KEY_REUSED"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
            507: components["responses"]["STORAGE_FULL"];
        };
    };
    end_session: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key, the same call takes effect once. */
                "Idempotency-Key"?: string;
            };
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is over */
            200: {
                headers: {
                    /** @description Whether what this is about is stored, or in memory only. */
                    "Unsaid-Stored"?: "true" | "false";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EndedSession"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHENTICATED"];
            403: components["responses"]["WRONG_ORIGIN"];
            404: components["responses"]["SESSION_NOT_FOUND"];
            408: components["responses"]["BODY_TOO_SLOW"];
            409: components["responses"]["VERSION_CONFLICT"];
            413: components["responses"]["BODY_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            422: components["responses"]["IDEMPOTENCY_KEY_REUSED"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
            507: components["responses"]["STORAGE_FULL"];
        };
    };
    messages: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Oldest first */
            200: {
                headers: {
                    /** @description Whether what this is about is stored, or in memory only. */
                    "Unsaid-Stored"?: "true" | "false";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Messages"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHENTICATED"];
            404: components["responses"]["SESSION_NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
        };
    };
    edit_message: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key, the same call takes effect once. */
                "Idempotency-Key"?: string;
            };
            path: {
                session_id: string;
                message_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewWords"];
            };
        };
        responses: {
            /** @description The answer as it comes: frames of the AI SDK's UI message stream */
            200: {
                headers: {
                    /** @description Whether what this is about is stored, or in memory only. */
                    "Unsaid-Stored"?: "true" | "false";
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["StreamEvent"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR-INVALID_MESSAGE_TYPE"];
            401: components["responses"]["UNAUTHENTICATED"];
            403: components["responses"]["WRONG_ORIGIN"];
            404: components["responses"]["SESSION_NOT_FOUND-MESSAGE_NOT_FOUND"];
            408: components["responses"]["BODY_TOO_SLOW"];
            409: components["responses"]["VERSION_CONFLICT-SESSION_NOT_ACTIVE"];
            413: components["responses"]["BODY_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            422: components["responses"]["IDEMPOTENCY_KEY_REUSED"];
            423: components["responses"]["SESSION_BUSY"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
            507: components["responses"]["STORAGE_FULL"];
        };
    };
    unsend_message: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key, the same call takes effect once. */
                "Idempotency-Key"?: string;
            };
            path: {
                session_id: string;
                message_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone */
            204: {
                headers: {
                    /** @description Whether what this is about is stored, or in memory only. */
                    "Unsaid-Stored"?: "true" | "false";
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["VALIDATION_ERROR-INVALID_MESSAGE_TYPE"];
            401: components["responses"]["UNAUTHENTICATED"];
            403: components["responses"]["WRONG_ORIGIN"];
            404: components["responses"]["SESSION_NOT_FOUND-MESSAGE_NOT_FOUND"];
            408: components["responses"]["BODY_TOO_SLOW"];
            409: components["responses"]["VERSION_CONFLICT"];
            413: components["responses"]["BODY_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            422: components["responses"]["IDEMPOTENCY_KEY_REUSED"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
            507: components["responses"]["STORAGE_FULL"];
        };
    };
    credits: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What is left */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Credits"];
                };
            };
            401: components["responses"]["UNAUTHENTICATED"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
        };
    };
    me: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description You */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            401: components["responses"]["UNAUTHENTICATED"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
        };
    };
    delete_account: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key, the same call takes effect once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Proof"];
            };
        };
        responses: {
            /** @description It is gone */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHENTICATED"];
            403: components["responses"]["WRONG_ORIGIN-WRONG_PASSWORD"];
            408: components["responses"]["BODY_TOO_SLOW"];
            409: components["responses"]["VERSION_CONFLICT"];
            413: components["responses"]["BODY_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            422: components["responses"]["IDEMPOTENCY_KEY_REUSED"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
            507: components["responses"]["STORAGE_FULL"];
        };
    };
    rename: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key, the same call takes effect once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Rename"];
            };
        };
        responses: {
            /** @description You, renamed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHENTICATED"];
            403: components["responses"]["WRONG_ORIGIN"];
            408: components["responses"]["BODY_TOO_SLOW"];
            409: components["responses"]["VERSION_CONFLICT"];
            413: components["responses"]["BODY_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            422: components["responses"]["IDEMPOTENCY_KEY_REUSED"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
            507: components["responses"]["STORAGE_FULL"];
        };
    };
    consents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Oldest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Consents"];
                };
            };
            401: components["responses"]["UNAUTHENTICATED"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
        };
    };
    erase: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key, the same call takes effect once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Nobody can read it any more */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHENTICATED"];
            403: components["responses"]["WRONG_ORIGIN"];
            408: components["responses"]["BODY_TOO_SLOW"];
            409: components["responses"]["VERSION_CONFLICT"];
            413: components["responses"]["BODY_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            422: components["responses"]["IDEMPOTENCY_KEY_REUSED"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
            507: components["responses"]["STORAGE_FULL"];
        };
    };
    export: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description JSON Lines */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
            401: components["responses"]["UNAUTHENTICATED"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
        };
    };
    preferences: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The switch */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preferences"];
                };
            };
            401: components["responses"]["UNAUTHENTICATED"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
        };
    };
    change_preferences: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key, the same call takes effect once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WantedPreferences"];
            };
        };
        responses: {
            /** @description The switch as it is now */
            200: {
                headers: {
                    /** @description After a grant: whether what was there before still is */
                    "Unsaid-History"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preferences"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHENTICATED"];
            403: components["responses"]["WRONG_ORIGIN"];
            408: components["responses"]["BODY_TOO_SLOW"];
            409: components["responses"]["VERSION_CONFLICT"];
            413: components["responses"]["BODY_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            422: components["responses"]["IDEMPOTENCY_KEY_REUSED"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
            507: components["responses"]["STORAGE_FULL"];
        };
    };
    sessions: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of them */
            200: {
                headers: {
                    /** @description Whether what this is about is stored, or in memory only. */
                    "Unsaid-Stored"?: "true" | "false";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionList"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHENTICATED"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
        };
    };
    worlds: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Oldest first */
            200: {
                headers: {
                    /** @description Whether what this is about is stored, or in memory only. */
                    "Unsaid-Stored"?: "true" | "false";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["World"][];
                };
            };
            401: components["responses"]["UNAUTHENTICATED"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
        };
    };
    make_world: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key, the same call takes effect once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewWorld"];
            };
        };
        responses: {
            /** @description It is there */
            201: {
                headers: {
                    /** @description Whether what this is about is stored, or in memory only. */
                    "Unsaid-Stored"?: "true" | "false";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["World"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHENTICATED"];
            403: components["responses"]["WRONG_ORIGIN"];
            404: components["responses"]["WORLD_NOT_FOUND-AGENT_NOT_FOUND"];
            408: components["responses"]["BODY_TOO_SLOW"];
            409: components["responses"]["VERSION_CONFLICT-WORLD_EXISTS-LIMIT_REACHED"];
            413: components["responses"]["BODY_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            422: components["responses"]["IDEMPOTENCY_KEY_REUSED"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
            507: components["responses"]["STORAGE_FULL"];
        };
    };
    world_templates: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Template"][];
                };
            };
            401: components["responses"]["UNAUTHENTICATED"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
        };
    };
    world: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                world_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The world */
            200: {
                headers: {
                    /** @description Whether what this is about is stored, or in memory only. */
                    "Unsaid-Stored"?: "true" | "false";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["World"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHENTICATED"];
            404: components["responses"]["WORLD_NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
        };
    };
    delete_world: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key, the same call takes effect once. */
                "Idempotency-Key"?: string;
            };
            path: {
                world_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone */
            204: {
                headers: {
                    /** @description Whether what this is about is stored, or in memory only. */
                    "Unsaid-Stored"?: "true" | "false";
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHENTICATED"];
            403: components["responses"]["WRONG_ORIGIN"];
            404: components["responses"]["WORLD_NOT_FOUND"];
            408: components["responses"]["BODY_TOO_SLOW"];
            409: components["responses"]["VERSION_CONFLICT"];
            413: components["responses"]["BODY_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            422: components["responses"]["IDEMPOTENCY_KEY_REUSED"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
            507: components["responses"]["STORAGE_FULL"];
        };
    };
    change_world: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key, the same call takes effect once. */
                "Idempotency-Key"?: string;
            };
            path: {
                world_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WorldChange"];
            };
        };
        responses: {
            /** @description The world, changed */
            200: {
                headers: {
                    /** @description Whether what this is about is stored, or in memory only. */
                    "Unsaid-Stored"?: "true" | "false";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["World"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHENTICATED"];
            403: components["responses"]["WRONG_ORIGIN"];
            404: components["responses"]["WORLD_NOT_FOUND-AGENT_NOT_FOUND-CHAT_NOT_FOUND"];
            408: components["responses"]["BODY_TOO_SLOW"];
            409: components["responses"]["VERSION_CONFLICT"];
            413: components["responses"]["BODY_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            422: components["responses"]["IDEMPOTENCY_KEY_REUSED"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
            507: components["responses"]["STORAGE_FULL"];
        };
    };
    agents: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                world_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description In order of creation */
            200: {
                headers: {
                    /** @description Whether what this is about is stored, or in memory only. */
                    "Unsaid-Stored"?: "true" | "false";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"][];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHENTICATED"];
            404: components["responses"]["WORLD_NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
        };
    };
    add_agent: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key, the same call takes effect once. */
                "Idempotency-Key"?: string;
            };
            path: {
                world_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewAgent"];
            };
        };
        responses: {
            /** @description It is there */
            201: {
                headers: {
                    /** @description Whether what this is about is stored, or in memory only. */
                    "Unsaid-Stored"?: "true" | "false";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHENTICATED"];
            403: components["responses"]["WRONG_ORIGIN"];
            404: components["responses"]["WORLD_NOT_FOUND-AGENT_NOT_FOUND"];
            408: components["responses"]["BODY_TOO_SLOW"];
            409: components["responses"]["VERSION_CONFLICT-AGENT_EXISTS-LIMIT_REACHED"];
            413: components["responses"]["BODY_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            422: components["responses"]["IDEMPOTENCY_KEY_REUSED"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
            507: components["responses"]["STORAGE_FULL"];
        };
    };
    agent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                world_id: string;
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The agent */
            200: {
                headers: {
                    /** @description Whether what this is about is stored, or in memory only. */
                    "Unsaid-Stored"?: "true" | "false";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHENTICATED"];
            404: components["responses"]["WORLD_NOT_FOUND-AGENT_NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
        };
    };
    delete_agent: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key, the same call takes effect once. */
                "Idempotency-Key"?: string;
            };
            path: {
                world_id: string;
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone */
            204: {
                headers: {
                    /** @description Whether what this is about is stored, or in memory only. */
                    "Unsaid-Stored"?: "true" | "false";
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHENTICATED"];
            403: components["responses"]["WRONG_ORIGIN"];
            404: components["responses"]["WORLD_NOT_FOUND-AGENT_NOT_FOUND"];
            408: components["responses"]["BODY_TOO_SLOW"];
            409: components["responses"]["VERSION_CONFLICT"];
            413: components["responses"]["BODY_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            422: components["responses"]["IDEMPOTENCY_KEY_REUSED"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
            507: components["responses"]["STORAGE_FULL"];
        };
    };
    change_agent: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key, the same call takes effect once. */
                "Idempotency-Key"?: string;
            };
            path: {
                world_id: string;
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AgentChange"];
            };
        };
        responses: {
            /** @description The agent, changed */
            200: {
                headers: {
                    /** @description Whether what this is about is stored, or in memory only. */
                    "Unsaid-Stored"?: "true" | "false";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Agent"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHENTICATED"];
            403: components["responses"]["WRONG_ORIGIN"];
            404: components["responses"]["WORLD_NOT_FOUND-AGENT_NOT_FOUND"];
            408: components["responses"]["BODY_TOO_SLOW"];
            409: components["responses"]["VERSION_CONFLICT"];
            413: components["responses"]["BODY_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            422: components["responses"]["IDEMPOTENCY_KEY_REUSED"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
            507: components["responses"]["STORAGE_FULL"];
        };
    };
    memory: {
        parameters: {
            query?: {
                /** @description The current chat if none is named. */
                chatId?: string;
            };
            header?: never;
            path: {
                world_id: string;
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Oldest first */
            200: {
                headers: {
                    /** @description Whether what this is about is stored, or in memory only. */
                    "Unsaid-Stored"?: "true" | "false";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorldMessage"][];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHENTICATED"];
            404: components["responses"]["WORLD_NOT_FOUND-AGENT_NOT_FOUND-CHAT_NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
        };
    };
    clear_memory: {
        parameters: {
            query?: {
                /** @description The current chat if none is named. */
                chatId?: string;
            };
            header?: {
                /** @description With the same key, the same call takes effect once. */
                "Idempotency-Key"?: string;
            };
            path: {
                world_id: string;
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It remembers nothing of before */
            204: {
                headers: {
                    /** @description Whether what this is about is stored, or in memory only. */
                    "Unsaid-Stored"?: "true" | "false";
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHENTICATED"];
            403: components["responses"]["WRONG_ORIGIN"];
            404: components["responses"]["WORLD_NOT_FOUND-AGENT_NOT_FOUND-CHAT_NOT_FOUND"];
            408: components["responses"]["BODY_TOO_SLOW"];
            409: components["responses"]["VERSION_CONFLICT"];
            413: components["responses"]["BODY_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            422: components["responses"]["IDEMPOTENCY_KEY_REUSED"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
            507: components["responses"]["STORAGE_FULL"];
        };
    };
    chats: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                world_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Oldest first */
            200: {
                headers: {
                    /** @description Whether what this is about is stored, or in memory only. */
                    "Unsaid-Stored"?: "true" | "false";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Chat"][];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHENTICATED"];
            404: components["responses"]["WORLD_NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
        };
    };
    add_chat: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key, the same call takes effect once. */
                "Idempotency-Key"?: string;
            };
            path: {
                world_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewChat"] | null;
            };
        };
        responses: {
            /** @description It is there */
            201: {
                headers: {
                    /** @description Whether what this is about is stored, or in memory only. */
                    "Unsaid-Stored"?: "true" | "false";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Chat"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHENTICATED"];
            403: components["responses"]["WRONG_ORIGIN"];
            404: components["responses"]["WORLD_NOT_FOUND-CHAT_NOT_FOUND"];
            408: components["responses"]["BODY_TOO_SLOW"];
            409: components["responses"]["VERSION_CONFLICT"];
            413: components["responses"]["BODY_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            422: components["responses"]["IDEMPOTENCY_KEY_REUSED"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
            507: components["responses"]["STORAGE_FULL"];
        };
    };
    delete_chat: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key, the same call takes effect once. */
                "Idempotency-Key"?: string;
            };
            path: {
                world_id: string;
                chat_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone */
            204: {
                headers: {
                    /** @description Whether what this is about is stored, or in memory only. */
                    "Unsaid-Stored"?: "true" | "false";
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHENTICATED"];
            403: components["responses"]["WRONG_ORIGIN"];
            404: components["responses"]["WORLD_NOT_FOUND-CHAT_NOT_FOUND"];
            408: components["responses"]["BODY_TOO_SLOW"];
            409: components["responses"]["VERSION_CONFLICT"];
            413: components["responses"]["BODY_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            422: components["responses"]["IDEMPOTENCY_KEY_REUSED"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
            507: components["responses"]["STORAGE_FULL"];
        };
    };
    chat_messages: {
        parameters: {
            query?: {
                /** @description A message; those before it are shown. Without it, the newest. */
                before?: string;
                limit?: number;
            };
            header?: never;
            path: {
                world_id: string;
                chat_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of it */
            200: {
                headers: {
                    /** @description Whether what this is about is stored, or in memory only. */
                    "Unsaid-Stored"?: "true" | "false";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessagePage"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHENTICATED"];
            404: components["responses"]["WORLD_NOT_FOUND-CHAT_NOT_FOUND-MESSAGE_NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
        };
    };
    edit_errors: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                world_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The last hundred */
            200: {
                headers: {
                    /** @description Whether what this is about is stored, or in memory only. */
                    "Unsaid-Stored"?: "true" | "false";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EditError"][];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHENTICATED"];
            404: components["responses"]["WORLD_NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
        };
    };
    undo_edit: {
        parameters: {
            query?: {
                /** @description Whether a running round is cancelled first. */
                interrupt?: boolean;
            };
            header?: {
                /** @description With the same key, the same call takes effect once. */
                "Idempotency-Key"?: string;
            };
            path: {
                world_id: string;
                edit_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was removed is back */
            200: {
                headers: {
                    /** @description Whether what this is about is stored, or in memory only. */
                    "Unsaid-Stored"?: "true" | "false";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Undone"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHENTICATED"];
            403: components["responses"]["WRONG_ORIGIN"];
            404: components["responses"]["WORLD_NOT_FOUND-EDIT_NOT_FOUND"];
            408: components["responses"]["BODY_TOO_SLOW"];
            409: components["responses"]["VERSION_CONFLICT-SESSION_OFF-UNDO_BLOCKED"];
            410: components["responses"]["UNDO_EXPIRED"];
            413: components["responses"]["BODY_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            422: components["responses"]["IDEMPOTENCY_KEY_REUSED"];
            423: components["responses"]["WORLD_LOCKED"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
            507: components["responses"]["STORAGE_FULL"];
        };
    };
    world_events: {
        parameters: {
            query?: {
                /** @description The current chat if none is named. */
                chatId?: string;
            };
            header?: {
                /** @description The newest event that is known */
                "Last-Event-ID"?: string | null;
            };
            path: {
                world_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Without end */
            200: {
                headers: {
                    /** @description Whether what this is about is stored, or in memory only. */
                    "Unsaid-Stored"?: "true" | "false";
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["WorldStreamEvent"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHENTICATED"];
            404: components["responses"]["WORLD_NOT_FOUND-CHAT_NOT_FOUND"];
            408: components["responses"]["BODY_TOO_SLOW"];
            413: components["responses"]["BODY_TOO_LARGE"];
            422: components["responses"]["IDEMPOTENCY_KEY_REUSED"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
        };
    };
    say_in_world: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key, the same call takes effect once. */
                "Idempotency-Key"?: string;
            };
            path: {
                world_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WorldWords"];
            };
        };
        responses: {
            /** @description The answers */
            200: {
                headers: {
                    /** @description Whether what this is about is stored, or in memory only. */
                    "Unsaid-Stored"?: "true" | "false";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorldAnswers"];
                    "text/event-stream": components["schemas"]["WorldStreamEvent"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHENTICATED"];
            403: components["responses"]["WRONG_ORIGIN"];
            404: components["responses"]["WORLD_NOT_FOUND-CHAT_NOT_FOUND"];
            408: components["responses"]["BODY_TOO_SLOW"];
            409: components["responses"]["VERSION_CONFLICT-SESSION_OFF"];
            413: components["responses"]["BODY_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            422: components["responses"]["IDEMPOTENCY_KEY_REUSED"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
            507: components["responses"]["STORAGE_FULL"];
        };
    };
    stop_in_world: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key, the same call takes effect once. */
                "Idempotency-Key"?: string;
            };
            path: {
                world_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InChat"];
            };
        };
        responses: {
            /** @description Nothing more is said */
            200: {
                headers: {
                    /** @description Whether what this is about is stored, or in memory only. */
                    "Unsaid-Stored"?: "true" | "false";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Stopped"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHENTICATED"];
            403: components["responses"]["WRONG_ORIGIN"];
            404: components["responses"]["WORLD_NOT_FOUND-CHAT_NOT_FOUND"];
            408: components["responses"]["BODY_TOO_SLOW"];
            409: components["responses"]["VERSION_CONFLICT"];
            413: components["responses"]["BODY_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            422: components["responses"]["IDEMPOTENCY_KEY_REUSED"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
            507: components["responses"]["STORAGE_FULL"];
        };
    };
    edit_in_world: {
        parameters: {
            query?: {
                /** @description Whether a running round is cancelled first. */
                interrupt?: boolean;
            };
            header?: {
                /** @description With the same key, the same call takes effect once. */
                "Idempotency-Key"?: string;
            };
            path: {
                world_id: string;
                message_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WorldEdit"];
            };
        };
        responses: {
            /** @description What was removed, and the answers */
            200: {
                headers: {
                    /** @description Whether what this is about is stored, or in memory only. */
                    "Unsaid-Stored"?: "true" | "false";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorldAnswers"];
                    "text/event-stream": components["schemas"]["WorldStreamEvent"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR-INVALID_MESSAGE_TYPE"];
            401: components["responses"]["UNAUTHENTICATED"];
            403: components["responses"]["WRONG_ORIGIN"];
            404: components["responses"]["WORLD_NOT_FOUND-CHAT_NOT_FOUND-MESSAGE_NOT_FOUND"];
            408: components["responses"]["BODY_TOO_SLOW"];
            409: components["responses"]["VERSION_CONFLICT-SESSION_OFF"];
            413: components["responses"]["BODY_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            422: components["responses"]["IDEMPOTENCY_KEY_REUSED"];
            423: components["responses"]["WORLD_LOCKED"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
            507: components["responses"]["STORAGE_FULL"];
        };
    };
    remove_in_world: {
        parameters: {
            query?: {
                /** @description The chat, here or in the body. */
                chatId?: string;
                /** @description Whether a running round is cancelled first. */
                interrupt?: boolean;
            };
            header?: {
                /** @description With the same key, the same call takes effect once. */
                "Idempotency-Key"?: string;
            };
            path: {
                world_id: string;
                message_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["InChatOrNot"] | null;
            };
        };
        responses: {
            /** @description What was removed */
            200: {
                headers: {
                    /** @description Whether what this is about is stored, or in memory only. */
                    "Unsaid-Stored"?: "true" | "false";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovalResult"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR-INVALID_MESSAGE_TYPE"];
            401: components["responses"]["UNAUTHENTICATED"];
            403: components["responses"]["WRONG_ORIGIN"];
            404: components["responses"]["WORLD_NOT_FOUND-CHAT_NOT_FOUND-MESSAGE_NOT_FOUND"];
            408: components["responses"]["BODY_TOO_SLOW"];
            409: components["responses"]["VERSION_CONFLICT"];
            413: components["responses"]["BODY_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            422: components["responses"]["IDEMPOTENCY_KEY_REUSED"];
            423: components["responses"]["WORLD_LOCKED"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
            507: components["responses"]["STORAGE_FULL"];
        };
    };
    count_removal: {
        parameters: {
            query?: {
                /** @description The current chat if none is named. */
                chatId?: string;
            };
            header?: never;
            path: {
                world_id: string;
                message_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How much, and of what it is the beginning */
            200: {
                headers: {
                    /** @description Whether what this is about is stored, or in memory only. */
                    "Unsaid-Stored"?: "true" | "false";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovalCount"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR-INVALID_MESSAGE_TYPE"];
            401: components["responses"]["UNAUTHENTICATED"];
            404: components["responses"]["WORLD_NOT_FOUND-CHAT_NOT_FOUND-MESSAGE_NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
        };
    };
    unsend_in_world: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key, the same call takes effect once. */
                "Idempotency-Key"?: string;
            };
            path: {
                world_id: string;
                message_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InChat"];
            };
        };
        responses: {
            /** @description It is gone */
            200: {
                headers: {
                    /** @description Whether what this is about is stored, or in memory only. */
                    "Unsaid-Stored"?: "true" | "false";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UnsentInWorld"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR-INVALID_MESSAGE_TYPE"];
            401: components["responses"]["UNAUTHENTICATED"];
            403: components["responses"]["WRONG_ORIGIN"];
            404: components["responses"]["WORLD_NOT_FOUND-CHAT_NOT_FOUND-MESSAGE_NOT_FOUND"];
            408: components["responses"]["BODY_TOO_SLOW"];
            409: components["responses"]["VERSION_CONFLICT"];
            413: components["responses"]["BODY_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            422: components["responses"]["IDEMPOTENCY_KEY_REUSED"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
            507: components["responses"]["STORAGE_FULL"];
        };
    };
    set_chat: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key, the same call takes effect once. */
                "Idempotency-Key"?: string;
            };
            path: {
                world_id: string;
                chat_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The world, changed */
            200: {
                headers: {
                    /** @description Whether what this is about is stored, or in memory only. */
                    "Unsaid-Stored"?: "true" | "false";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["World"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHENTICATED"];
            403: components["responses"]["WRONG_ORIGIN"];
            404: components["responses"]["WORLD_NOT_FOUND-CHAT_NOT_FOUND"];
            408: components["responses"]["BODY_TOO_SLOW"];
            409: components["responses"]["VERSION_CONFLICT"];
            413: components["responses"]["BODY_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            422: components["responses"]["IDEMPOTENCY_KEY_REUSED"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
            507: components["responses"]["STORAGE_FULL"];
        };
    };
    world_status: {
        parameters: {
            query?: {
                /** @description The current chat if none is named. */
                chatId?: string;
            };
            header?: never;
            path: {
                world_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How it is now */
            200: {
                headers: {
                    /** @description Whether what this is about is stored, or in memory only. */
                    "Unsaid-Stored"?: "true" | "false";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorldStatus"];
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["UNAUTHENTICATED"];
            404: components["responses"]["WORLD_NOT_FOUND-CHAT_NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
        };
    };
    alive: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It does */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Alive"];
                };
            };
            500: components["responses"]["INTERNAL"];
        };
    };
    line_webhook: {
        parameters: {
            query?: never;
            header: {
                /** @description HMAC-SHA256 of the body with the channel secret, in Base64. */
                "X-Line-Signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    destination?: string;
                    events: Record<string, never>[];
                };
            };
        };
        responses: {
            /** @description Kept, and answered in time */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            400: components["responses"]["VALIDATION_ERROR"];
            401: components["responses"]["INVALID_SIGNATURE"];
            404: components["responses"]["NOT_FOUND"];
            408: components["responses"]["BODY_TOO_SLOW"];
            413: components["responses"]["BODY_TOO_LARGE"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE"];
        };
    };
    metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            500: components["responses"]["INTERNAL"];
        };
    };
    ready: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It can */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ready"];
                };
            };
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
            507: components["responses"]["STORAGE_FULL"];
        };
    };
    setup: {
        parameters: {
            query?: {
                /** @description The key in the link that the server printed. */
                key?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Signed in by cookie; go on to the page */
            303: {
                headers: {
                    Location?: string;
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["VALIDATION_ERROR"];
            403: components["responses"]["SETUP_LINK_INVALID"];
            500: components["responses"]["INTERNAL"];
            503: components["responses"]["STORAGE_UNAVAILABLE-STORAGE_DAMAGED"];
            507: components["responses"]["STORAGE_FULL"];
        };
    };
}
