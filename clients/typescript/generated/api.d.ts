// Made by "npm run clients" from /openapi.json. Do not edit.
export interface paths {
    "/v1/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all tasks
         * @description Each with its price, its input and output schema, an example, and its health.
         */
        get: operations["listTasks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a task */
        get: operations["getTask"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/encyclopedia/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Encyclopedia search
         * @description Articles of an encyclopedia (by default the English Wikipedia) that contain the words of a query.
         *
         *     Costs 1 credit.
         *
         *     Requires the scope `runs`.
         */
        post: operations["encyclopedia_search"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/flights/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Flight search
         * @description Flights between two places on a given day, with prices. For a round trip, the outbound flights.
         *
         *     Costs 6 credits.
         *
         *     Requires the scope `runs`.
         */
        post: operations["flights_search"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/forum/community/details": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Details of a community
         * @description The description and rules of a community, and its moderators on request. There are no items.
         *
         *     Costs 2 credits.
         *
         *     Requires the scope `runs`.
         */
        post: operations["forum_community_details"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/forum/c/{community}/hot": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Hot posts of a community
         * @description The posts that a community is discussing now, pinned posts first.
         *
         *     Costs 2 credits.
         *
         *     Requires the scope `runs`.
         */
        post: operations["forum_community_hot"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/forum/c/{community}/rising": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rising posts of a community
         * @description New posts of a community that are gaining votes quickly. There are often few, and sometimes none.
         *
         *     Costs 2 credits.
         *
         *     Requires the scope `runs`.
         */
        post: operations["forum_community_rising"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/forum/posts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Forum posts
         * @description Posts of a community or of the front page, in the order of one of its listings.
         *
         *     Costs 2 credits.
         *
         *     Requires the scope `runs`.
         */
        post: operations["forum_posts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/forum/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Forum search
         * @description Posts of the whole forum, or of one community, that match a query.
         *
         *     Costs 2 credits.
         *
         *     Requires the scope `runs`.
         */
        post: operations["forum_search"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/forum/user/{username}/{type}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Posts and comments of a user
         * @description Posts, comments, or both, of a user, newest first.
         *
         *     Costs 2 credits.
         *
         *     Requires the scope `runs`.
         */
        post: operations["forum_user"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/forum/wiki": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Wiki of a community
         * @description The names of the pages of a community’s wiki, or one page. There are no items.
         *
         *     Costs 1 credit.
         *
         *     Requires the scope `runs`.
         */
        post: operations["forum_wiki"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/marketplace/member/items": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Items of a marketplace member
         * @description The wardrobe of one member, including sold and reserved items. This task was built from public clients of the site and single items, and has not been checked against recorded answers of a wardrobe.
         *
         *     Costs 3 credits.
         *
         *     Requires the scope `runs`.
         */
        post: operations["marketplace_member_items"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/marketplace/member/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Marketplace member search
         * @description Members of the marketplace whose names match a search term. This task was built from public clients of the site and single member records, and has not been checked against recorded answers of the search.
         *
         *     Costs 3 credits.
         *
         *     Requires the scope `runs`.
         */
        post: operations["marketplace_member_search"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/marketplace/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Marketplace search
         * @description Second-hand items for sale that match a search term, in the site’s order. A page has up to 96 items, and the site shows at most 960 items (ten pages) for one search. There is no cursor; request more pages instead.
         *
         *     Costs 3 credits.
         *
         *     Requires the scope `runs`.
         */
        post: operations["marketplace_search"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/marketplace/search/filtered": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Filtered marketplace search
         * @description Second-hand items for sale that match a search term and filters. Several ids of one filter mean any of them. A page has up to 96 items, and the site shows at most 960 items (ten pages) for one search. There is no cursor; request more pages instead.
         *
         *     Costs 3 credits.
         *
         *     Requires the scope `runs`.
         */
        post: operations["marketplace_search_filtered"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/microblog/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Microblog search
         * @description Search results of X: posts on the tabs top, latest and media, accounts on people, lists on lists. Requires a login at the site. `next_cursor` is null at the end of the list; otherwise the site has more. It cannot be sent back as input.
         *
         *     Costs 5 credits.
         *
         *     Requires the scope `runs`.
         */
        post: operations["microblog_search"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/microblog/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Microblog home timeline
         * @description Posts of the home timeline of the signed-in X account, without adverts. `next_cursor` is null at the end of the timeline; otherwise the site has more. It cannot be sent back as input.
         *
         *     Costs 5 credits.
         *
         *     Requires the scope `runs`.
         */
        post: operations["microblog_timeline"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/photo/profile-download": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Photo profile export
         * @description A profile as a ZIP file: photos and videos in order, captions, metadata of each post, `manifest.json` and `posts.csv`. The file is the run's artifact. Large profiles take long: start the run asynchronously. With a login at the site, the export contains everything that the login can see, including private profiles that it follows, and the site limits it less. Without one, it contains what visitors can see.
         *
         *     40 for up to 1,000 posts, and 5 for each started block of 1,000 posts after that. With maxPosts, that many posts are charged and unused blocks are refunded. Without it, each block is charged before it begins.
         *
         *     Requires the scope `runs`.
         */
        post: operations["photo_profile_download"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/realty_a/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Real-estate search A
         * @description Homes for sale at a place in the United Kingdom, as Rightmove lists them. The site shows about 1,000 results of a search.
         *
         *     Costs 4 credits.
         *
         *     Requires the scope `runs`.
         */
        post: operations["realty_a_search"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/realty_b/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Real-estate search B
         * @description Homes for sale in the United States and Canada, as Redfin lists them: in a city, neighborhood, county or ZIP code, or at one address.
         *
         *     Costs 4 credits.
         *
         *     Requires the scope `runs`.
         */
        post: operations["realty_b_search"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/shortvideo/comments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Comments of a video
         * @description Public comments of one TikTok video or photo post, as far as the site shows them to visitors. When `has_more` is true and `next_cursor` is set, there are more. Replies are limited to `reply_count` and `replies_preview`.
         *
         *     Costs 5 credits.
         *
         *     Requires the scope `runs`.
         */
        post: operations["shortvideo_comments"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/shortvideo/hashtag": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Videos of a hashtag
         * @description A TikTok hashtag with its counts, and its public videos, as far as the site shows them to visitors. When `has_more` is true and `next_cursor` is set, there are more.
         *
         *     Costs 5 credits.
         *
         *     Requires the scope `runs`.
         */
        post: operations["shortvideo_hashtag"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/video/channel/shorts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Shorts of a video channel
         * @description The Shorts of a public channel, sorted by latest, most popular or oldest.
         *
         *     Costs 3 credits.
         *
         *     Requires the scope `runs`.
         */
        post: operations["video_channel_shorts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List runs
         * @description Newest first. A list reflects all changes that were answered before it, within a second.
         *
         *     Requires the scope `runs`.
         */
        get: operations["listRuns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a run
         * @description Poll until `run_status` is terminal: first after 3 seconds, then double the delay each time up to 30 seconds, each with a random factor from 0.9 to 1.1. Alternatively, let `wait` hold the answer until the run has ended.
         *
         *     Requires the scope `runs`.
         */
        get: operations["getRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a run
         * @description A queued run is cancelled at once, a running one within 10 seconds. The items collected by then are kept, and the credits are refunded. Cancelling it again changes nothing.
         *
         *     Requires the scope `runs`.
         */
        post: operations["cancelRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run_id}/items": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the items of a run
         * @description Only the items: `json` is an array, `ndjson` has one item per line, `csv` has a column for each field of the output schema. In CSV a nested value is JSON text, null is an empty cell, and a value that a spreadsheet would take for a formula is prefixed with '. A run without a result has no items.
         *
         *     Requires the scope `runs`.
         */
        get: operations["getRunItems"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run_id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream the events of a run
         * @description Server-Sent Events: past events first, then new ones, up to the event that ends the run. `id` is the event's `sequence`, `event` its name, `data` the event as CloudEvents 1.0. A comment is sent at least every 8 seconds.
         *
         *     Requires the scope `runs`.
         */
        get: operations["streamRunEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run_id}/artifacts/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a file of a run
         * @description Request one range of bytes to resume a download.
         *
         *     Requires the scope `runs`.
         */
        get: operations["downloadArtifact"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the account
         * @description Its balance, the tasks that it may run, and its limits.
         *
         *     Requires the scope `runs`.
         */
        get: operations["getAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/ledger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the ledger
         * @description Grants, charges and refunds, newest first. The sum of all amounts is the balance.
         *
         *     Requires the scope `runs`.
         */
        get: operations["getLedger"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/logins": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List logins
         * @description One for each source that has a sign-in, by name.
         *
         *     Requires the scope `runs`.
         */
        get: operations["listLogins"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/logins/{source}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a sign-in
         * @description Creates a link to sign in with, before a task call needs one or to replace a login. Runs use the current login until the new one is complete. No body is needed.
         *
         *     Requires the scope `runs`.
         */
        post: operations["startLogin"];
        /**
         * Delete a login
         * @description Destroys the saved browser state and ends a sign-in that is in progress. Runs that have started continue. Deleting it again changes nothing.
         *
         *     Requires the scope `runs`.
         */
        delete: operations["deleteLogin"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read events page by page
         * @description In the order of the log. Send `next_after` as the next `after`. A page may be empty and still not be the last: look at `caught_up`. The fields of each type are in /asyncapi.json.
         *
         *     Requires the scope `events`.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream events as they happen
         * @description Server-Sent Events: past events first, then new ones. `id` is the position, `event` the name of the type, `data` the event. The stream resumes after `Last-Event-ID`. A comment is sent at least every 8 seconds. While there are no events for you, an `id` without data advances your position; it is not an event.
         *
         *     Requires the scope `events`.
         */
        get: operations["streamEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/mcp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Call as an MCP client
         * @description The Model Context Protocol, streamable HTTP without sessions, protocol versions 2025-06-18 to 2026-07-28. Tool calls that start a run count as kickoffs, everything else as reads. Errors within the protocol are JSON-RPC errors.
         *
         *     Requires the scope `runs`.
         */
        post: operations["mcp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/list-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the API keys
         * @description All keys of the account, newest first, including revoked and expired ones.
         *
         *     Requires the scope `admin`.
         */
        get: operations["listKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/create-key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create an API key
         * @description No body is needed. The key itself is shown only in this answer.
         *
         *     Requires the scope `admin`.
         */
        post: operations["createKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/revoke-key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke an API key
         * @description The key is refused from the next request on. Revoking it again changes nothing.
         *
         *     Requires the scope `admin`.
         */
        post: operations["revokeKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks
         * @description All endpoints of the account, newest first.
         *
         *     Requires the scope `admin`.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description Events of the account are delivered to the URL from now on, signed according to Standard Webhooks. The secret is shown only in this answer.
         *
         *     Requires the scope `admin`.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{webhook_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a webhook
         * @description Requires the scope `admin`.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook
         * @description Its URL, its secrets and its deliveries are destroyed.
         *
         *     Requires the scope `admin`.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Change a webhook
         * @description Only the fields that you send change. A new URL applies to pending deliveries too.
         *
         *     Requires the scope `admin`.
         */
        patch: operations["changeWebhook"];
        trace?: never;
    };
    "/v1/webhooks/{webhook_id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the secret of a webhook
         * @description The new and the previous secret sign every delivery for 24 hours. No body is needed.
         *
         *     Requires the scope `admin`.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{webhook_id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test a webhook
         * @description Sends an event of the type `gleaner.WebhookTest` now, once. A success enables an endpoint that was disabled. No body is needed.
         *
         *     Requires the scope `admin`.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{webhook_id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of a webhook
         * @description Newest events first. They are kept for 30 days.
         *
         *     Requires the scope `admin`.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{webhook_id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deliver events again
         * @description One event, or all events of the account in a time range, regardless of the endpoint's `types`. A disabled endpoint is sent each event once.
         *
         *     Requires the scope `admin`.
         */
        post: operations["replayWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open an account
         * @description The answer contains the first key of the account, which has all scopes.
         */
        post: operations["openAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/grant-credits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Grant credits */
        post: operations["grantCredits"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/set-entitlements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set what an account may do
         * @description Only the fields that you send change, from the next request on. `null` resets a limit to the default of the service.
         */
        post: operations["setEntitlements"];
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
        /** Check that the process is alive */
        get: operations["getHealth"];
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
        /**
         * Check that requests can be sent here
         * @description `ready`: everything works. `degraded`: the read models are unavailable or lag behind, so calls that need them answer 503 (lists, the ledger); task calls, runs by id, cancels and the event feed work. `not-ready`: the event log is unavailable, or the process is starting or stopping.
         */
        get: operations["getReadiness"];
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
        /** @description A team. It owns keys, credits and runs. */
        Account: {
            /** @description The id of the account. */
            account_id: string;
            name: string;
            /** @description Credits. */
            balance: number;
            /** @description The tasks that the account may run: `*` for all, `forum.*` for all tasks of a source, or the key of a task. */
            tasks: string[];
            /** @description The limits of the account. 0 means no limit. */
            limits: {
                kickoff_per_minute: number;
                read_per_minute: number;
                admin_per_minute: number;
                concurrent_runs: number;
            };
            /** @description A suspended account can read, but it cannot start runs. */
            suspended: boolean;
        };
        /** @description A file that a run produced. */
        Artifact: {
            /** @description File name. */
            name: string;
            content_type: string;
            /** @description Size in bytes. */
            bytes: number;
            /** @description SHA-256, in lower-case hex. */
            sha256: string;
            /** @description Download the file from here. */
            url: string;
        };
        /** Result of encyclopedia.search */
        EncyclopediaSearchResult: {
            items: {
                title: string;
                /** @description The id of the page in its wiki. */
                pageid: number | null;
                /** @description The namespace; 0 for articles. */
                ns: number;
                /**
                 * Format: uri
                 * @description The address of the page on the wiki.
                 */
                url: string;
                /** @description The text around the matched words, as plain text. */
                snippet: string | null;
                /** @description The same, with the HTML markup of the wiki. */
                snippet_html: string | null;
                /** @description Size of the wikitext in bytes. */
                size: number | null;
                wordcount: number | null;
                /**
                 * Format: date-time
                 * @description The time of the last edit.
                 */
                timestamp: string | null;
            }[];
            /** @description Pass it as `cursor` to continue; null at the end. */
            next_cursor: string | null;
            /** @description The query that was searched. */
            query: string | null;
            /** @description The total number of hits, as the wiki counts them. */
            total_hits: number | null;
            /** @description A query that the wiki suggests instead. */
            suggestion: string | null;
            /**
             * @description The run ended early: these are the items collected by then.
             * @constant
             */
            partial?: true;
        };
        /** @description An event, as CloudEvents 1.0. */
        Event: {
            /** @constant */
            specversion: "1.0";
            /** @description Unique, and the same on every store. */
            id: string;
            /**
             * @description `gleaner.` and the name of the event.
             * @enum {string}
             */
            type: "gleaner.RunRequested" | "gleaner.RunStarted" | "gleaner.RunProgressed" | "gleaner.ResultStored" | "gleaner.ArtifactStored" | "gleaner.RunRequeued" | "gleaner.RunNotAdmitted" | "gleaner.RunCancelRequested" | "gleaner.RunSucceeded" | "gleaner.RunFailed" | "gleaner.RunErrored" | "gleaner.RunCancelled" | "gleaner.RunExpired" | "gleaner.KeyCreated" | "gleaner.KeyRevoked" | "gleaner.AccountOpened" | "gleaner.EntitlementsSet" | "gleaner.CreditsGranted" | "gleaner.CreditsCharged" | "gleaner.CreditsRefunded" | "gleaner.LoginRequested" | "gleaner.LoginCompleted" | "gleaner.LoginRejected" | "gleaner.LoginDeleted" | "gleaner.AccountRenamed" | "gleaner.MemberInvited" | "gleaner.InvitationWithdrawn" | "gleaner.MemberAdded" | "gleaner.MemberRoleChanged" | "gleaner.MemberRemoved" | "gleaner.PersonJoined" | "gleaner.PasswordChanged" | "gleaner.IdentityLinked" | "gleaner.SessionsRevoked" | "gleaner.OperatorGranted" | "gleaner.OperatorRevoked" | "gleaner.PersonErased" | "gleaner.AddressClaimed" | "gleaner.AddressReleased" | "gleaner.WebhookCreated" | "gleaner.WebhookChanged" | "gleaner.WebhookSecretRotated" | "gleaner.WebhookDisabled" | "gleaner.WebhookEnabled" | "gleaner.WebhookAdvanced" | "gleaner.WebhookDeleted";
            /** @description `/accounts/<account_id>` */
            source: string;
            /** @description The stream. */
            subject: string;
            /**
             * Format: date-time
             * @description When the event was decided. RFC 3339 in UTC.
             */
            time: string;
            /** @constant */
            datacontenttype: "application/json";
            /** @description Ends in `/<name>/<version>`. */
            dataschema: string;
            /** @description The position, for `after` and `Last-Event-ID`. */
            sequence: string;
            /** @description The request id of the kickoff that led to this event. */
            correlationid: string;
            /** @description The id of the request or event that led to this event. */
            causationid: string;
            /** @description Who did it: `key:<key_id>`, `person:<person_id>`, `operator` or `service`. Events older than this field lack it. */
            actor?: string;
            /** @description The fields of each type are described in /asyncapi.json. */
            data: Record<string, unknown>;
        };
        /** Result of flights.search */
        FlightsSearchResult: {
            items: {
                /** @description The source's own id, valid within one response. */
                offer_id: string | null;
                airlines: string[];
                /** @description Airport code; for a city with several airports, any of them. */
                origin: string | null;
                /** @description Airport code; for a city with several airports, any of them. */
                destination: string | null;
                /** @description Local time at the airport, without a time zone. */
                departure_at: string | null;
                /** @description Local time at the airport, without a time zone. */
                arrival_at: string | null;
                /** @description Days between the local dates of departure and arrival. */
                arrival_day_offset: number | null;
                duration_minutes: number | null;
                stops: number | null;
                /** @description For the whole trip; null when the source has no price. */
                price: number | null;
                /** @description The price as it is shown, without decimals. */
                price_display: number | null;
                /** @description ISO 4217. */
                currency: string | null;
                /**
                 * @description What the price covers. For a round trip, outbound flights are listed with the price of the whole trip.
                 * @enum {string}
                 */
                price_scope: "one_way" | "round_trip";
                /** @description Whether the source lists it among its best. */
                is_best: boolean | null;
                /** @description Emissions for one passenger. */
                co2_grams: number | null;
                /** @description Typical emissions between these places. */
                co2_typical_grams: number | null;
                co2_percent_vs_typical: number | null;
                segments: {
                    /** @description Airport code. */
                    origin: string | null;
                    origin_name: string | null;
                    /** @description Airport code. */
                    destination: string | null;
                    destination_name: string | null;
                    /** @description Local time at the airport, without a time zone. */
                    departure_at: string | null;
                    /** @description Local time at the airport, without a time zone. */
                    arrival_at: string | null;
                    duration_minutes: number | null;
                    airline_code: string | null;
                    airline: string | null;
                    /** @description Without the code of the airline. */
                    flight_number: string | null;
                    /** @description The operating airline, when it is a different one. */
                    operated_by: string | null;
                    aircraft: string | null;
                    /** @description With its unit, as the source writes it. */
                    legroom: string | null;
                }[];
                layovers: {
                    /** @description Airport code of the arrival. */
                    airport: string | null;
                    /** @description Airport code of the next departure. */
                    departure_airport: string | null;
                    airport_name: string | null;
                    city: string | null;
                    minutes: number | null;
                    changes_airport: boolean | null;
                }[];
            }[];
            /** @description Pass it as `cursor` to continue; null at the end. */
            next_cursor: string | null;
            /** @description As requested. */
            origin: string | null;
            /** @description As requested. */
            destination: string | null;
            /** @description The departure date that was searched, also when none was sent. */
            depart_date: string | null;
            return_date: string | null;
            adults: number | null;
            /** @description ISO 4217; null when nothing has a price. */
            currency: string | null;
            /** @description The number of best offers on the page, regardless of `limit`. */
            best_count: number | null;
            /** @description The number of other offers on the page, regardless of `limit`. */
            other_count: number | null;
            /**
             * Format: uri
             * @description The result page.
             */
            source_url: string | null;
            /** Format: date-time */
            fetched_at: string | null;
            /**
             * @description The run ended early: these are the items collected by then.
             * @constant
             */
            partial?: true;
        };
        /** Result of forum.community.details */
        ForumCommunityDetailsResult: {
            items: Record<string, unknown>[];
            /** @description Pass it as `cursor` to continue; null at the end. */
            next_cursor: string | null;
            about: {
                id: string | null;
                /** @description The id with its kind, such as t5_abc12. */
                fullname: string | null;
                display_name: string;
                /** @description r/name, or u/name for a user's own community. */
                display_name_prefixed: string;
                title: string | null;
                /** @description A few words, in Markdown. */
                public_description: string | null;
                /** @description Its sidebar, in Markdown. */
                description: string | null;
                subscribers: number | null;
                /** @description The number of users currently online. */
                active_user_count: number | null;
                /** Format: date-time */
                created_at: string | null;
                over18: boolean;
                quarantine: boolean;
                /** @description Such as public, restricted or archived. */
                subreddit_type: string | null;
                lang: string | null;
                /** Format: uri */
                icon_url: string | null;
                /** Format: uri */
                banner_url: string | null;
                /** Format: uri */
                url: string;
                wiki_enabled: boolean | null;
            } | null;
            rules: {
                short_name: string | null;
                /** @description Markdown. */
                description: string | null;
                /** @description What it applies to: link, comment or all. */
                kind: string | null;
                violation_reason: string | null;
                /** @description Its position, starting at 0. */
                priority: number | null;
                /** Format: date-time */
                created_at: string | null;
            }[] | null;
            /** @description Null when visitors may not see them. */
            moderators: {
                name: string | null;
                /** @description The fullname of the account. */
                id: string | null;
                /** @description Their permissions, such as posts; all for every permission. */
                permissions: string[];
                /** Format: date-time */
                since: string | null;
            }[] | null;
            /**
             * @description The run ended early: these are the items collected by then.
             * @constant
             */
            partial?: true;
        };
        /** Result of forum.community.hot */
        ForumCommunityHotResult: {
            items: {
                /** @constant */
                type: "post";
                id: string;
                /** @description The id with its kind, such as t3_abc12. */
                fullname: string;
                title: string | null;
                /** @description Null when the account was deleted. */
                author: string | null;
                /** @description The fullname of the account. */
                author_id: string | null;
                community: string | null;
                /** @description r/name, or u/name for a user's own community. */
                community_prefixed: string | null;
                /**
                 * Format: uri
                 * @description The link of the post; for a text, the page of the post.
                 */
                url: string | null;
                /**
                 * Format: uri
                 * @description Its own page.
                 */
                permalink: string | null;
                domain: string | null;
                /** @description Markdown. */
                selftext: string | null;
                score: number | null;
                upvote_ratio: number | null;
                num_comments: number | null;
                num_crossposts: number | null;
                /** Format: date-time */
                created_at: string | null;
                /** Format: date-time */
                edited_at: string | null;
                flair: string | null;
                /** @description The kind of link, according to the site, such as image. */
                post_hint: string | null;
                /** @description It is a text, not a link. */
                is_self: boolean;
                is_video: boolean;
                is_gallery: boolean;
                over_18: boolean;
                spoiler: boolean;
                stickied: boolean;
                locked: boolean;
                archived: boolean;
                /** @description The role it was written in, such as moderator. */
                distinguished: string | null;
                /** Format: uri */
                thumbnail: string | null;
                media: {
                    /**
                     * @description `embed` is a video or page of another site; its `url` is the page.
                     * @enum {string}
                     */
                    type: "image" | "animated_image" | "video" | "embed";
                    /** Format: uri */
                    url: string;
                    /** @description In pixels. */
                    width: number | null;
                    /** @description In pixels. */
                    height: number | null;
                    /** @description In seconds. */
                    duration: number | null;
                }[];
                /** @description The fullname of the original post. */
                crosspost_parent: string | null;
                removed_by_category: string | null;
            }[];
            /** @description Pass it as `cursor` to continue; null at the end. */
            next_cursor: string | null;
            /** @description Pass it as `after` to continue; the same as `next_cursor`. */
            after: string | null;
            /** @description Pass it as `before` to go back; null on the first page. */
            before: string | null;
            /** @description The number of items in this result. */
            count: number | null;
            /**
             * @description The run ended early: these are the items collected by then.
             * @constant
             */
            partial?: true;
        };
        /** Result of forum.community.rising */
        ForumCommunityRisingResult: {
            items: {
                /** @constant */
                type: "post";
                id: string;
                /** @description The id with its kind, such as t3_abc12. */
                fullname: string;
                title: string | null;
                /** @description Null when the account was deleted. */
                author: string | null;
                /** @description The fullname of the account. */
                author_id: string | null;
                community: string | null;
                /** @description r/name, or u/name for a user's own community. */
                community_prefixed: string | null;
                /**
                 * Format: uri
                 * @description The link of the post; for a text, the page of the post.
                 */
                url: string | null;
                /**
                 * Format: uri
                 * @description Its own page.
                 */
                permalink: string | null;
                domain: string | null;
                /** @description Markdown. */
                selftext: string | null;
                score: number | null;
                upvote_ratio: number | null;
                num_comments: number | null;
                num_crossposts: number | null;
                /** Format: date-time */
                created_at: string | null;
                /** Format: date-time */
                edited_at: string | null;
                flair: string | null;
                /** @description The kind of link, according to the site, such as image. */
                post_hint: string | null;
                /** @description It is a text, not a link. */
                is_self: boolean;
                is_video: boolean;
                is_gallery: boolean;
                over_18: boolean;
                spoiler: boolean;
                stickied: boolean;
                locked: boolean;
                archived: boolean;
                /** @description The role it was written in, such as moderator. */
                distinguished: string | null;
                /** Format: uri */
                thumbnail: string | null;
                media: {
                    /**
                     * @description `embed` is a video or page of another site; its `url` is the page.
                     * @enum {string}
                     */
                    type: "image" | "animated_image" | "video" | "embed";
                    /** Format: uri */
                    url: string;
                    /** @description In pixels. */
                    width: number | null;
                    /** @description In pixels. */
                    height: number | null;
                    /** @description In seconds. */
                    duration: number | null;
                }[];
                /** @description The fullname of the original post. */
                crosspost_parent: string | null;
                removed_by_category: string | null;
            }[];
            /** @description Pass it as `cursor` to continue; null at the end. */
            next_cursor: string | null;
            /** @description Pass it as `after` to continue; the same as `next_cursor`. */
            after: string | null;
            /** @description Pass it as `before` to go back; null on the first page. */
            before: string | null;
            /** @description The number of items in this result. */
            count: number | null;
            /**
             * @description The run ended early: these are the items collected by then.
             * @constant
             */
            partial?: true;
        };
        /** Result of forum.posts */
        ForumPostsResult: {
            items: {
                /** @constant */
                type: "post";
                id: string;
                /** @description The id with its kind, such as t3_abc12. */
                fullname: string;
                title: string | null;
                /** @description Null when the account was deleted. */
                author: string | null;
                /** @description The fullname of the account. */
                author_id: string | null;
                community: string | null;
                /** @description r/name, or u/name for a user's own community. */
                community_prefixed: string | null;
                /**
                 * Format: uri
                 * @description The link of the post; for a text, the page of the post.
                 */
                url: string | null;
                /**
                 * Format: uri
                 * @description Its own page.
                 */
                permalink: string | null;
                domain: string | null;
                /** @description Markdown. */
                selftext: string | null;
                score: number | null;
                upvote_ratio: number | null;
                num_comments: number | null;
                num_crossposts: number | null;
                /** Format: date-time */
                created_at: string | null;
                /** Format: date-time */
                edited_at: string | null;
                flair: string | null;
                /** @description The kind of link, according to the site, such as image. */
                post_hint: string | null;
                /** @description It is a text, not a link. */
                is_self: boolean;
                is_video: boolean;
                is_gallery: boolean;
                over_18: boolean;
                spoiler: boolean;
                stickied: boolean;
                locked: boolean;
                archived: boolean;
                /** @description The role it was written in, such as moderator. */
                distinguished: string | null;
                /** Format: uri */
                thumbnail: string | null;
                media: {
                    /**
                     * @description `embed` is a video or page of another site; its `url` is the page.
                     * @enum {string}
                     */
                    type: "image" | "animated_image" | "video" | "embed";
                    /** Format: uri */
                    url: string;
                    /** @description In pixels. */
                    width: number | null;
                    /** @description In pixels. */
                    height: number | null;
                    /** @description In seconds. */
                    duration: number | null;
                }[];
                /** @description The fullname of the original post. */
                crosspost_parent: string | null;
                removed_by_category: string | null;
            }[];
            /** @description Pass it as `cursor` to continue; null at the end. */
            next_cursor: string | null;
            /** @description Pass it as `after` to continue; the same as `next_cursor`. */
            after: string | null;
            /** @description Pass it as `before` to go back; null on the first page. */
            before: string | null;
            /** @description The number of items in this result. */
            count: number | null;
            /**
             * @description The run ended early: these are the items collected by then.
             * @constant
             */
            partial?: true;
        };
        /** Result of forum.search */
        ForumSearchResult: {
            items: {
                /** @constant */
                type: "post";
                id: string;
                /** @description The id with its kind, such as t3_abc12. */
                fullname: string;
                title: string | null;
                /** @description Null when the account was deleted. */
                author: string | null;
                /** @description The fullname of the account. */
                author_id: string | null;
                community: string | null;
                /** @description r/name, or u/name for a user's own community. */
                community_prefixed: string | null;
                /**
                 * Format: uri
                 * @description The link of the post; for a text, the page of the post.
                 */
                url: string | null;
                /**
                 * Format: uri
                 * @description Its own page.
                 */
                permalink: string | null;
                domain: string | null;
                /** @description Markdown. */
                selftext: string | null;
                score: number | null;
                upvote_ratio: number | null;
                num_comments: number | null;
                num_crossposts: number | null;
                /** Format: date-time */
                created_at: string | null;
                /** Format: date-time */
                edited_at: string | null;
                flair: string | null;
                /** @description The kind of link, according to the site, such as image. */
                post_hint: string | null;
                /** @description It is a text, not a link. */
                is_self: boolean;
                is_video: boolean;
                is_gallery: boolean;
                over_18: boolean;
                spoiler: boolean;
                stickied: boolean;
                locked: boolean;
                archived: boolean;
                /** @description The role it was written in, such as moderator. */
                distinguished: string | null;
                /** Format: uri */
                thumbnail: string | null;
                media: {
                    /**
                     * @description `embed` is a video or page of another site; its `url` is the page.
                     * @enum {string}
                     */
                    type: "image" | "animated_image" | "video" | "embed";
                    /** Format: uri */
                    url: string;
                    /** @description In pixels. */
                    width: number | null;
                    /** @description In pixels. */
                    height: number | null;
                    /** @description In seconds. */
                    duration: number | null;
                }[];
                /** @description The fullname of the original post. */
                crosspost_parent: string | null;
                removed_by_category: string | null;
            }[];
            /** @description Pass it as `cursor` to continue; null at the end. */
            next_cursor: string | null;
            /** @description Pass it as `after` to continue; the same as `next_cursor`. */
            after: string | null;
            /** @description Pass it as `before` to go back; null on the first page. */
            before: string | null;
            /** @description The number of items in this result. */
            count: number | null;
            /**
             * @description The run ended early: these are the items collected by then.
             * @constant
             */
            partial?: true;
        };
        /** Result of forum.user */
        ForumUserResult: {
            items: ({
                /** @constant */
                type: "post";
                id: string;
                /** @description The id with its kind, such as t3_abc12. */
                fullname: string;
                title: string | null;
                /** @description Null when the account was deleted. */
                author: string | null;
                /** @description The fullname of the account. */
                author_id: string | null;
                community: string | null;
                /** @description r/name, or u/name for a user's own community. */
                community_prefixed: string | null;
                /**
                 * Format: uri
                 * @description The link of the post; for a text, the page of the post.
                 */
                url: string | null;
                /**
                 * Format: uri
                 * @description Its own page.
                 */
                permalink: string | null;
                domain: string | null;
                /** @description Markdown. */
                selftext: string | null;
                score: number | null;
                upvote_ratio: number | null;
                num_comments: number | null;
                num_crossposts: number | null;
                /** Format: date-time */
                created_at: string | null;
                /** Format: date-time */
                edited_at: string | null;
                flair: string | null;
                /** @description The kind of link, according to the site, such as image. */
                post_hint: string | null;
                /** @description It is a text, not a link. */
                is_self: boolean;
                is_video: boolean;
                is_gallery: boolean;
                over_18: boolean;
                spoiler: boolean;
                stickied: boolean;
                locked: boolean;
                archived: boolean;
                /** @description The role it was written in, such as moderator. */
                distinguished: string | null;
                /** Format: uri */
                thumbnail: string | null;
                media: {
                    /**
                     * @description `embed` is a video or page of another site; its `url` is the page.
                     * @enum {string}
                     */
                    type: "image" | "animated_image" | "video" | "embed";
                    /** Format: uri */
                    url: string;
                    /** @description In pixels. */
                    width: number | null;
                    /** @description In pixels. */
                    height: number | null;
                    /** @description In seconds. */
                    duration: number | null;
                }[];
                /** @description The fullname of the original post. */
                crosspost_parent: string | null;
                removed_by_category: string | null;
            } | {
                /** @constant */
                type: "comment";
                id: string;
                /** @description The id with its kind, such as t1_abc12. */
                fullname: string;
                /** @description Null when the account was deleted. */
                author: string | null;
                /** @description Markdown. */
                body: string | null;
                score: number | null;
                /** Format: date-time */
                created_at: string | null;
                /** Format: date-time */
                edited_at: string | null;
                /**
                 * Format: uri
                 * @description Its own page.
                 */
                permalink: string | null;
                /** @description The fullname of the comment or post that it answers. */
                parent_id: string | null;
                /** @description The fullname of the post. */
                post_id: string | null;
                post_title: string | null;
                community: string | null;
                /** @description Its author wrote the post too. */
                is_submitter: boolean;
                /** @description The role it was written in, such as moderator. */
                distinguished: string | null;
                stickied: boolean;
                over_18: boolean;
            })[];
            /** @description Pass it as `cursor` to continue; null at the end. */
            next_cursor: string | null;
            /** @description Pass it as `after` to continue; the same as `next_cursor`. */
            after: string | null;
            /** @description Pass it as `before` to go back; null on the first page. */
            before: string | null;
            /** @description The number of items in this result. */
            count: number | null;
            /**
             * @description The run ended early: these are the items collected by then.
             * @constant
             */
            partial?: true;
        };
        /** Result of forum.wiki */
        ForumWikiResult: {
            items: Record<string, unknown>[];
            /** @description Pass it as `cursor` to continue; null at the end. */
            next_cursor: string | null;
            /** @description The page names; null when a single page was requested. */
            pages: string[] | null;
            page: {
                /** @description As requested. */
                name: string;
                content_markdown: string | null;
                content_html: string | null;
                /**
                 * Format: date-time
                 * @description Of its last edit.
                 */
                revision_date: string | null;
                /** @description The author of the last edit; null when the account was deleted. */
                revision_by: string | null;
                /** @description The reason given for the edit. */
                reason: string | null;
                /** @description Visitors may edit it. */
                may_revise: boolean;
            } | null;
            /**
             * @description The run ended early: these are the items collected by then.
             * @constant
             */
            partial?: true;
        };
        /** @description An API key, without the key itself. */
        Key: {
            /** @description The id of the key. It is not a secret. */
            key_id: string;
            name: string | null;
            /** @description The first 8 characters of the key. */
            prefix: string;
            scopes: ("runs" | "admin" | "events")[];
            /**
             * Format: date-time
             * @description When the key was created. RFC 3339 in UTC.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the key was last used, accurate to a few seconds. RFC 3339 in UTC.
             */
            last_used_at: string | null;
            /**
             * Format: date-time
             * @description When the key expires. RFC 3339 in UTC.
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description When the key was revoked. RFC 3339 in UTC.
             */
            revoked_at: string | null;
        };
        /** @description One entry in the ledger of an account. */
        LedgerEntry: {
            entry_id: string;
            /**
             * Format: date-time
             * @description When the entry was made. RFC 3339 in UTC.
             */
            at: string;
            /**
             * @description What kind of entry it is.
             * @enum {string}
             */
            kind: "charged" | "granted" | "refunded";
            /** @description Credits; negative for a charge. The sum of all amounts is the balance. */
            amount: number;
            /** @description The balance after the entry. */
            balance_after: number;
            /** @description The id of the run. */
            run_id: string | null;
            /** @description The task of a charge, the end of the run for a refund, the reason given for a grant. */
            reason: string | null;
        };
        /** Result of marketplace.member.items */
        MarketplaceMemberItemsResult: {
            items: {
                id: string;
                title: string | null;
                /**
                 * Format: uri
                 * @description On the requested domain.
                 */
                url: string;
                price: number | null;
                /** @description Of all amounts: EUR, GBP and so on. */
                currency: string | null;
                /** @description Buyer protection. */
                service_fee: number | null;
                /** @description Price and service fee. */
                total_price: number | null;
                brand: string | null;
                /** @description As the site writes it: "M / 38 / 10". */
                size: string | null;
                /** @description In the language of the site. */
                condition: string | null;
                /** Format: uri */
                image_url: string | null;
                image_urls: string[];
                favourite_count: number | null;
                view_count: number | null;
                promoted: boolean | null;
                seller: {
                    id: string;
                    login: string | null;
                    /** Format: uri */
                    profile_url: string | null;
                    business: boolean | null;
                } | null;
                /**
                 * Format: date-time
                 * @description Of the first photo; the source does not say when the item was offered.
                 */
                photo_uploaded_at: string | null;
                is_reserved: boolean | null;
                is_closed: boolean | null;
                is_hidden: boolean | null;
                /** @description How it was closed: sold, deleted. */
                closing_action: string | null;
            }[];
            /** @description Pass it as `cursor` to continue; null at the end. */
            next_cursor: string | null;
            /** @description The total number of entries, as the source counts them; at most 960 for a search. */
            total_entries: number | null;
            /** @description The number of pages that the source has. */
            total_pages: number | null;
            /**
             * @description The run ended early: these are the items collected by then.
             * @constant
             */
            partial?: true;
        };
        /** Result of marketplace.member.search */
        MarketplaceMemberSearchResult: {
            items: {
                id: string;
                login: string | null;
                /**
                 * Format: uri
                 * @description As the site gives it, otherwise on the requested domain.
                 */
                profile_url: string;
                /** Format: uri */
                photo_url: string | null;
                business: boolean | null;
                item_count: number | null;
                given_item_count: number | null;
                taken_item_count: number | null;
                followers_count: number | null;
                following_count: number | null;
                /** @description From 0 to 1. */
                feedback_reputation: number | null;
                feedback_count: number | null;
                positive_feedback_count: number | null;
                neutral_feedback_count: number | null;
                negative_feedback_count: number | null;
                city: string | null;
                /** @description Its name, in the language of the site where that is known. */
                country: string | null;
                country_code: string | null;
                /** Format: date-time */
                last_logged_on: string | null;
                is_on_holiday: boolean | null;
                about: string | null;
            }[];
            /** @description Pass it as `cursor` to continue; null at the end. */
            next_cursor: string | null;
            /** @description The total number of entries, as the source counts them; at most 960 for a search. */
            total_entries: number | null;
            /** @description The number of pages that the source has. */
            total_pages: number | null;
            /**
             * @description The run ended early: these are the items collected by then.
             * @constant
             */
            partial?: true;
        };
        /** Result of marketplace.search.filtered */
        MarketplaceSearchFilteredResult: {
            items: {
                id: string;
                title: string | null;
                /**
                 * Format: uri
                 * @description On the requested domain.
                 */
                url: string;
                price: number | null;
                /** @description Of all amounts: EUR, GBP and so on. */
                currency: string | null;
                /** @description Buyer protection. */
                service_fee: number | null;
                /** @description Price and service fee. */
                total_price: number | null;
                brand: string | null;
                /** @description As the site writes it: "M / 38 / 10". */
                size: string | null;
                /** @description In the language of the site. */
                condition: string | null;
                /** Format: uri */
                image_url: string | null;
                image_urls: string[];
                favourite_count: number | null;
                view_count: number | null;
                promoted: boolean | null;
                seller: {
                    id: string;
                    login: string | null;
                    /** Format: uri */
                    profile_url: string | null;
                    business: boolean | null;
                } | null;
                /**
                 * Format: date-time
                 * @description Of the first photo; the source does not say when the item was offered.
                 */
                photo_uploaded_at: string | null;
            }[];
            /** @description Pass it as `cursor` to continue; null at the end. */
            next_cursor: string | null;
            /** @description The total number of entries, as the source counts them; at most 960 for a search. */
            total_entries: number | null;
            /** @description The number of pages that the source has. */
            total_pages: number | null;
            /**
             * @description The run ended early: these are the items collected by then.
             * @constant
             */
            partial?: true;
        };
        /** Result of marketplace.search */
        MarketplaceSearchResult: {
            items: {
                id: string;
                title: string | null;
                /**
                 * Format: uri
                 * @description On the requested domain.
                 */
                url: string;
                price: number | null;
                /** @description Of all amounts: EUR, GBP and so on. */
                currency: string | null;
                /** @description Buyer protection. */
                service_fee: number | null;
                /** @description Price and service fee. */
                total_price: number | null;
                brand: string | null;
                /** @description As the site writes it: "M / 38 / 10". */
                size: string | null;
                /** @description In the language of the site. */
                condition: string | null;
                /** Format: uri */
                image_url: string | null;
                image_urls: string[];
                favourite_count: number | null;
                view_count: number | null;
                promoted: boolean | null;
                seller: {
                    id: string;
                    login: string | null;
                    /** Format: uri */
                    profile_url: string | null;
                    business: boolean | null;
                } | null;
                /**
                 * Format: date-time
                 * @description Of the first photo; the source does not say when the item was offered.
                 */
                photo_uploaded_at: string | null;
            }[];
            /** @description Pass it as `cursor` to continue; null at the end. */
            next_cursor: string | null;
            /** @description The total number of entries, as the source counts them; at most 960 for a search. */
            total_entries: number | null;
            /** @description The number of pages that the source has. */
            total_pages: number | null;
            /**
             * @description The run ended early: these are the items collected by then.
             * @constant
             */
            partial?: true;
        };
        /** Result of microblog.search */
        MicroblogSearchResult: {
            items: ({
                id: string;
                /** Format: uri */
                url: string;
                /** @description The whole text, without the addresses of attached media. */
                text: string | null;
                lang: string | null;
                /** Format: date-time */
                created_at: string | null;
                author: {
                    id: string | null;
                    /** @description Without @. */
                    screen_name: string | null;
                    name: string | null;
                    verified: boolean | null;
                    is_blue_verified: boolean | null;
                    /** Format: uri */
                    profile_image_url: string | null;
                    followers_count: number | null;
                };
                reply_count: number | null;
                retweet_count: number | null;
                quote_count: number | null;
                favorite_count: number | null;
                bookmark_count: number | null;
                view_count: number | null;
                is_reply: boolean | null;
                in_reply_to_status_id: string | null;
                in_reply_to_screen_name: string | null;
                conversation_id: string | null;
                is_quote: boolean | null;
                is_retweet: boolean | null;
                /** @description Without #. */
                hashtags: string[];
                /** @description Names without @. */
                user_mentions: string[];
                /** @description The targets of the links in the text. */
                urls: string[];
                media: {
                    /** @description photo, video or animated_gif. */
                    type: string | null;
                    /**
                     * Format: uri
                     * @description For a video, the MP4 with the highest bit rate.
                     */
                    url: string | null;
                    width: number | null;
                    height: number | null;
                    alt_text: string | null;
                    duration_ms: number | null;
                }[];
                card: {
                    /** @description The kind of card, such as summary_large_image or poll2choice_text_only. */
                    name: string;
                    title: string | null;
                    description: string | null;
                    domain: string | null;
                    /**
                     * Format: uri
                     * @description The target of the card.
                     */
                    url: string | null;
                    /** Format: uri */
                    image_url: string | null;
                    /** @description The choices of a poll. */
                    choices: {
                        label: string;
                        votes: number | null;
                    }[];
                } | null;
                possibly_sensitive: boolean | null;
                /** @description The app that it was written with. */
                source: string | null;
                quoted: {
                    id: string;
                    /** Format: uri */
                    url: string;
                    /** @description The whole text, without the addresses of attached media. */
                    text: string | null;
                    lang: string | null;
                    /** Format: date-time */
                    created_at: string | null;
                    author: {
                        id: string | null;
                        /** @description Without @. */
                        screen_name: string | null;
                        name: string | null;
                        verified: boolean | null;
                        is_blue_verified: boolean | null;
                        /** Format: uri */
                        profile_image_url: string | null;
                        followers_count: number | null;
                    };
                    reply_count: number | null;
                    retweet_count: number | null;
                    quote_count: number | null;
                    favorite_count: number | null;
                    bookmark_count: number | null;
                    view_count: number | null;
                    is_reply: boolean | null;
                    in_reply_to_status_id: string | null;
                    in_reply_to_screen_name: string | null;
                    conversation_id: string | null;
                    is_quote: boolean | null;
                    is_retweet: boolean | null;
                    /** @description Without #. */
                    hashtags: string[];
                    /** @description Names without @. */
                    user_mentions: string[];
                    /** @description The targets of the links in the text. */
                    urls: string[];
                    media: {
                        /** @description photo, video or animated_gif. */
                        type: string | null;
                        /**
                         * Format: uri
                         * @description For a video, the MP4 with the highest bit rate.
                         */
                        url: string | null;
                        width: number | null;
                        height: number | null;
                        alt_text: string | null;
                        duration_ms: number | null;
                    }[];
                    card: {
                        /** @description The kind of card, such as summary_large_image or poll2choice_text_only. */
                        name: string;
                        title: string | null;
                        description: string | null;
                        domain: string | null;
                        /**
                         * Format: uri
                         * @description The target of the card.
                         */
                        url: string | null;
                        /** Format: uri */
                        image_url: string | null;
                        /** @description The choices of a poll. */
                        choices: {
                            label: string;
                            votes: number | null;
                        }[];
                    } | null;
                    possibly_sensitive: boolean | null;
                    /** @description The app that it was written with. */
                    source: string | null;
                    quoted: null;
                    retweeted: null;
                } | null;
                retweeted: {
                    id: string;
                    /** Format: uri */
                    url: string;
                    /** @description The whole text, without the addresses of attached media. */
                    text: string | null;
                    lang: string | null;
                    /** Format: date-time */
                    created_at: string | null;
                    author: {
                        id: string | null;
                        /** @description Without @. */
                        screen_name: string | null;
                        name: string | null;
                        verified: boolean | null;
                        is_blue_verified: boolean | null;
                        /** Format: uri */
                        profile_image_url: string | null;
                        followers_count: number | null;
                    };
                    reply_count: number | null;
                    retweet_count: number | null;
                    quote_count: number | null;
                    favorite_count: number | null;
                    bookmark_count: number | null;
                    view_count: number | null;
                    is_reply: boolean | null;
                    in_reply_to_status_id: string | null;
                    in_reply_to_screen_name: string | null;
                    conversation_id: string | null;
                    is_quote: boolean | null;
                    is_retweet: boolean | null;
                    /** @description Without #. */
                    hashtags: string[];
                    /** @description Names without @. */
                    user_mentions: string[];
                    /** @description The targets of the links in the text. */
                    urls: string[];
                    media: {
                        /** @description photo, video or animated_gif. */
                        type: string | null;
                        /**
                         * Format: uri
                         * @description For a video, the MP4 with the highest bit rate.
                         */
                        url: string | null;
                        width: number | null;
                        height: number | null;
                        alt_text: string | null;
                        duration_ms: number | null;
                    }[];
                    card: {
                        /** @description The kind of card, such as summary_large_image or poll2choice_text_only. */
                        name: string;
                        title: string | null;
                        description: string | null;
                        domain: string | null;
                        /**
                         * Format: uri
                         * @description The target of the card.
                         */
                        url: string | null;
                        /** Format: uri */
                        image_url: string | null;
                        /** @description The choices of a poll. */
                        choices: {
                            label: string;
                            votes: number | null;
                        }[];
                    } | null;
                    possibly_sensitive: boolean | null;
                    /** @description The app that it was written with. */
                    source: string | null;
                    quoted: {
                        id: string;
                        /** Format: uri */
                        url: string;
                        /** @description The whole text, without the addresses of attached media. */
                        text: string | null;
                        lang: string | null;
                        /** Format: date-time */
                        created_at: string | null;
                        author: {
                            id: string | null;
                            /** @description Without @. */
                            screen_name: string | null;
                            name: string | null;
                            verified: boolean | null;
                            is_blue_verified: boolean | null;
                            /** Format: uri */
                            profile_image_url: string | null;
                            followers_count: number | null;
                        };
                        reply_count: number | null;
                        retweet_count: number | null;
                        quote_count: number | null;
                        favorite_count: number | null;
                        bookmark_count: number | null;
                        view_count: number | null;
                        is_reply: boolean | null;
                        in_reply_to_status_id: string | null;
                        in_reply_to_screen_name: string | null;
                        conversation_id: string | null;
                        is_quote: boolean | null;
                        is_retweet: boolean | null;
                        /** @description Without #. */
                        hashtags: string[];
                        /** @description Names without @. */
                        user_mentions: string[];
                        /** @description The targets of the links in the text. */
                        urls: string[];
                        media: {
                            /** @description photo, video or animated_gif. */
                            type: string | null;
                            /**
                             * Format: uri
                             * @description For a video, the MP4 with the highest bit rate.
                             */
                            url: string | null;
                            width: number | null;
                            height: number | null;
                            alt_text: string | null;
                            duration_ms: number | null;
                        }[];
                        card: {
                            /** @description The kind of card, such as summary_large_image or poll2choice_text_only. */
                            name: string;
                            title: string | null;
                            description: string | null;
                            domain: string | null;
                            /**
                             * Format: uri
                             * @description The target of the card.
                             */
                            url: string | null;
                            /** Format: uri */
                            image_url: string | null;
                            /** @description The choices of a poll. */
                            choices: {
                                label: string;
                                votes: number | null;
                            }[];
                        } | null;
                        possibly_sensitive: boolean | null;
                        /** @description The app that it was written with. */
                        source: string | null;
                        quoted: null;
                        retweeted: null;
                    } | null;
                    retweeted: null;
                } | null;
            } | {
                id: string;
                /** @description Without @. */
                screen_name: string;
                name: string | null;
                description: string | null;
                location: string | null;
                /**
                 * Format: uri
                 * @description The web site that the profile names.
                 */
                url: string | null;
                verified: boolean | null;
                is_blue_verified: boolean | null;
                /** @description Its posts are for its followers only. */
                protected: boolean | null;
                followers_count: number | null;
                /** @description The number of accounts that it follows. */
                friends_count: number | null;
                /** @description The number of posts. */
                statuses_count: number | null;
                /** Format: date-time */
                created_at: string | null;
                /** Format: uri */
                profile_image_url: string | null;
            } | {
                id: string;
                name: string | null;
                description: string | null;
                member_count: number | null;
                subscriber_count: number | null;
                /** @description Public or Private. */
                mode: string | null;
                owner: {
                    id: string | null;
                    /** @description Without @. */
                    screen_name: string | null;
                    name: string | null;
                    verified: boolean | null;
                    is_blue_verified: boolean | null;
                    /** Format: uri */
                    profile_image_url: string | null;
                    followers_count: number | null;
                };
            })[];
            /** @description Pass it as `cursor` to continue; null at the end. */
            next_cursor: string | null;
            tab: ("top" | "latest" | "people" | "media" | "lists") | null;
            /**
             * @description The run ended early: these are the items collected by then.
             * @constant
             */
            partial?: true;
        };
        /** Result of microblog.timeline */
        MicroblogTimelineResult: {
            items: {
                id: string;
                /** Format: uri */
                url: string;
                /** @description The whole text, without the addresses of attached media. */
                text: string | null;
                lang: string | null;
                /** Format: date-time */
                created_at: string | null;
                author: {
                    id: string | null;
                    /** @description Without @. */
                    screen_name: string | null;
                    name: string | null;
                    verified: boolean | null;
                    is_blue_verified: boolean | null;
                    /** Format: uri */
                    profile_image_url: string | null;
                    followers_count: number | null;
                };
                reply_count: number | null;
                retweet_count: number | null;
                quote_count: number | null;
                favorite_count: number | null;
                bookmark_count: number | null;
                view_count: number | null;
                is_reply: boolean | null;
                in_reply_to_status_id: string | null;
                in_reply_to_screen_name: string | null;
                conversation_id: string | null;
                is_quote: boolean | null;
                is_retweet: boolean | null;
                /** @description Without #. */
                hashtags: string[];
                /** @description Names without @. */
                user_mentions: string[];
                /** @description The targets of the links in the text. */
                urls: string[];
                media: {
                    /** @description photo, video or animated_gif. */
                    type: string | null;
                    /**
                     * Format: uri
                     * @description For a video, the MP4 with the highest bit rate.
                     */
                    url: string | null;
                    width: number | null;
                    height: number | null;
                    alt_text: string | null;
                    duration_ms: number | null;
                }[];
                card: {
                    /** @description The kind of card, such as summary_large_image or poll2choice_text_only. */
                    name: string;
                    title: string | null;
                    description: string | null;
                    domain: string | null;
                    /**
                     * Format: uri
                     * @description The target of the card.
                     */
                    url: string | null;
                    /** Format: uri */
                    image_url: string | null;
                    /** @description The choices of a poll. */
                    choices: {
                        label: string;
                        votes: number | null;
                    }[];
                } | null;
                possibly_sensitive: boolean | null;
                /** @description The app that it was written with. */
                source: string | null;
                quoted: {
                    id: string;
                    /** Format: uri */
                    url: string;
                    /** @description The whole text, without the addresses of attached media. */
                    text: string | null;
                    lang: string | null;
                    /** Format: date-time */
                    created_at: string | null;
                    author: {
                        id: string | null;
                        /** @description Without @. */
                        screen_name: string | null;
                        name: string | null;
                        verified: boolean | null;
                        is_blue_verified: boolean | null;
                        /** Format: uri */
                        profile_image_url: string | null;
                        followers_count: number | null;
                    };
                    reply_count: number | null;
                    retweet_count: number | null;
                    quote_count: number | null;
                    favorite_count: number | null;
                    bookmark_count: number | null;
                    view_count: number | null;
                    is_reply: boolean | null;
                    in_reply_to_status_id: string | null;
                    in_reply_to_screen_name: string | null;
                    conversation_id: string | null;
                    is_quote: boolean | null;
                    is_retweet: boolean | null;
                    /** @description Without #. */
                    hashtags: string[];
                    /** @description Names without @. */
                    user_mentions: string[];
                    /** @description The targets of the links in the text. */
                    urls: string[];
                    media: {
                        /** @description photo, video or animated_gif. */
                        type: string | null;
                        /**
                         * Format: uri
                         * @description For a video, the MP4 with the highest bit rate.
                         */
                        url: string | null;
                        width: number | null;
                        height: number | null;
                        alt_text: string | null;
                        duration_ms: number | null;
                    }[];
                    card: {
                        /** @description The kind of card, such as summary_large_image or poll2choice_text_only. */
                        name: string;
                        title: string | null;
                        description: string | null;
                        domain: string | null;
                        /**
                         * Format: uri
                         * @description The target of the card.
                         */
                        url: string | null;
                        /** Format: uri */
                        image_url: string | null;
                        /** @description The choices of a poll. */
                        choices: {
                            label: string;
                            votes: number | null;
                        }[];
                    } | null;
                    possibly_sensitive: boolean | null;
                    /** @description The app that it was written with. */
                    source: string | null;
                    quoted: null;
                    retweeted: null;
                } | null;
                retweeted: {
                    id: string;
                    /** Format: uri */
                    url: string;
                    /** @description The whole text, without the addresses of attached media. */
                    text: string | null;
                    lang: string | null;
                    /** Format: date-time */
                    created_at: string | null;
                    author: {
                        id: string | null;
                        /** @description Without @. */
                        screen_name: string | null;
                        name: string | null;
                        verified: boolean | null;
                        is_blue_verified: boolean | null;
                        /** Format: uri */
                        profile_image_url: string | null;
                        followers_count: number | null;
                    };
                    reply_count: number | null;
                    retweet_count: number | null;
                    quote_count: number | null;
                    favorite_count: number | null;
                    bookmark_count: number | null;
                    view_count: number | null;
                    is_reply: boolean | null;
                    in_reply_to_status_id: string | null;
                    in_reply_to_screen_name: string | null;
                    conversation_id: string | null;
                    is_quote: boolean | null;
                    is_retweet: boolean | null;
                    /** @description Without #. */
                    hashtags: string[];
                    /** @description Names without @. */
                    user_mentions: string[];
                    /** @description The targets of the links in the text. */
                    urls: string[];
                    media: {
                        /** @description photo, video or animated_gif. */
                        type: string | null;
                        /**
                         * Format: uri
                         * @description For a video, the MP4 with the highest bit rate.
                         */
                        url: string | null;
                        width: number | null;
                        height: number | null;
                        alt_text: string | null;
                        duration_ms: number | null;
                    }[];
                    card: {
                        /** @description The kind of card, such as summary_large_image or poll2choice_text_only. */
                        name: string;
                        title: string | null;
                        description: string | null;
                        domain: string | null;
                        /**
                         * Format: uri
                         * @description The target of the card.
                         */
                        url: string | null;
                        /** Format: uri */
                        image_url: string | null;
                        /** @description The choices of a poll. */
                        choices: {
                            label: string;
                            votes: number | null;
                        }[];
                    } | null;
                    possibly_sensitive: boolean | null;
                    /** @description The app that it was written with. */
                    source: string | null;
                    quoted: {
                        id: string;
                        /** Format: uri */
                        url: string;
                        /** @description The whole text, without the addresses of attached media. */
                        text: string | null;
                        lang: string | null;
                        /** Format: date-time */
                        created_at: string | null;
                        author: {
                            id: string | null;
                            /** @description Without @. */
                            screen_name: string | null;
                            name: string | null;
                            verified: boolean | null;
                            is_blue_verified: boolean | null;
                            /** Format: uri */
                            profile_image_url: string | null;
                            followers_count: number | null;
                        };
                        reply_count: number | null;
                        retweet_count: number | null;
                        quote_count: number | null;
                        favorite_count: number | null;
                        bookmark_count: number | null;
                        view_count: number | null;
                        is_reply: boolean | null;
                        in_reply_to_status_id: string | null;
                        in_reply_to_screen_name: string | null;
                        conversation_id: string | null;
                        is_quote: boolean | null;
                        is_retweet: boolean | null;
                        /** @description Without #. */
                        hashtags: string[];
                        /** @description Names without @. */
                        user_mentions: string[];
                        /** @description The targets of the links in the text. */
                        urls: string[];
                        media: {
                            /** @description photo, video or animated_gif. */
                            type: string | null;
                            /**
                             * Format: uri
                             * @description For a video, the MP4 with the highest bit rate.
                             */
                            url: string | null;
                            width: number | null;
                            height: number | null;
                            alt_text: string | null;
                            duration_ms: number | null;
                        }[];
                        card: {
                            /** @description The kind of card, such as summary_large_image or poll2choice_text_only. */
                            name: string;
                            title: string | null;
                            description: string | null;
                            domain: string | null;
                            /**
                             * Format: uri
                             * @description The target of the card.
                             */
                            url: string | null;
                            /** Format: uri */
                            image_url: string | null;
                            /** @description The choices of a poll. */
                            choices: {
                                label: string;
                                votes: number | null;
                            }[];
                        } | null;
                        possibly_sensitive: boolean | null;
                        /** @description The app that it was written with. */
                        source: string | null;
                        quoted: null;
                        retweeted: null;
                    } | null;
                    retweeted: null;
                } | null;
            }[];
            /** @description Pass it as `cursor` to continue; null at the end. */
            next_cursor: string | null;
            timeline_type: ("following" | "for_you") | null;
            /**
             * @description The run ended early: these are the items collected by then.
             * @constant
             */
            partial?: true;
        };
        /** @description An API key that was just created. */
        NewKey: {
            /** @description The id of the key. It is not a secret. */
            key_id: string;
            name: string | null;
            /** @description The first 8 characters of the key. */
            prefix: string;
            scopes: ("runs" | "admin" | "events")[];
            /**
             * Format: date-time
             * @description When the key was created. RFC 3339 in UTC.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the key was last used, accurate to a few seconds. RFC 3339 in UTC.
             */
            last_used_at: string | null;
            /**
             * Format: date-time
             * @description When the key expires. RFC 3339 in UTC.
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description When the key was revoked. RFC 3339 in UTC.
             */
            revoked_at: string | null;
            /** @description The API key. It is shown only once. */
            api_key: string;
        };
        /** Result of photo.profile-download */
        PhotoProfileDownloadResult: {
            items: Record<string, unknown>[];
            /** @description Pass it as `cursor` to continue; null at the end. */
            next_cursor: string | null;
            profile: {
                id: string;
                username: string;
                full_name: string | null;
                /** Format: uri */
                url: string;
                biography: string | null;
                /** Format: uri */
                external_url: string | null;
                is_private: boolean | null;
                is_verified: boolean | null;
                follower_count: number | null;
                following_count: number | null;
                /** @description The number of posts, as the source counts them. */
                post_count: number | null;
            } | null;
            stopped_reason: ("end" | "max_posts" | "blocked" | "error" | "cancelled" | "insufficient-credits") | null;
            /** @description Whether all posts of the profile are in it. */
            complete: boolean | null;
            posts_exported: number | null;
            posts_reported_by_source: number | null;
            /** @description Photos and videos of posts, without covers and the profile picture. */
            media_files: number | null;
            /** @description Media files that could not be fetched; the manifest says why. */
            media_failed: number | null;
            /** @description Total size of all files in the archive except the manifest, in bytes. */
            bytes_total: number | null;
            /**
             * @description The run ended early: these are the items collected by then.
             * @constant
             */
            partial?: true;
        };
        /** @description An error, as problem details (RFC 9457). */
        Problem: {
            /** @description A link to the documentation of the code. */
            type: string;
            title: string;
            status: number;
            /** @description What is wrong, and what to do about it. */
            detail: string;
            /** @description The path of the request. */
            instance: string;
            /**
             * @description Stable code.
             * @enum {string}
             */
            code: "malformed-json" | "bad-form" | "bad-idempotency-key" | "missing-key" | "invalid-key" | "revoked-key" | "expired-key" | "insufficient-credits" | "task-not-allowed" | "key-scope" | "account-suspended" | "forbidden-origin" | "not-found" | "method-not-allowed" | "idempotency-in-progress" | "run-finished" | "last-admin-key" | "too-many-webhooks" | "body-too-large" | "unsupported-media-type" | "validation-failed" | "idempotency-key-reused" | "login-required" | "rate-limited" | "internal" | "store-unavailable" | "shutting-down";
            /** @description Quote this when you ask for help. */
            request_id: string;
            errors?: {
                /** @description JSON pointer to the field; `/name` for a query parameter. */
                pointer: string;
                code: string;
                detail: string;
            }[];
            /** @description The id of the run. */
            run_id?: string;
            /** @description Open this link to sign in at the source. */
            hosted_url?: string;
            /**
             * Format: date-time
             * @description When `hosted_url` expires. RFC 3339 in UTC.
             */
            expires_at?: string;
            source?: string;
            /** @description The price of the call, in credits. */
            required?: number;
            /** @description The balance of the account, in credits. */
            balance?: number;
            /** @description Seconds to wait, the same as Retry-After. */
            retry_after_s?: number;
        };
        /** Result of realty_a.search */
        RealtyASearchResult: {
            items: {
                id: string;
                /** Format: uri */
                url: string;
                address: string | null;
                /** @description In `currency`; for rents, per `price_frequency`. */
                price: number | null;
                /** @description ISO 4217. */
                currency: string | null;
                /** @description As the site writes it: `£220,000`, `POA`. */
                price_display: string | null;
                /** @description `Guide Price`, `Offers Over`, `From` and the like. */
                price_qualifier: string | null;
                /** @description `monthly`, `weekly`, `yearly` for rents, null for sales. */
                price_frequency: string | null;
                /** @description 0 for a studio or land. */
                bedrooms: number | null;
                bathrooms: number | null;
                /** @description `Semi-Detached`, `Flat` and the like. */
                property_type: string | null;
                /** @description `FREEHOLD`, `LEASEHOLD`, `SHARE_OF_FREEHOLD`. */
                tenure: string | null;
                /** @description `797 sq. ft.` */
                size_text: string | null;
                latitude: number | null;
                longitude: number | null;
                /** @description The beginning of its description. */
                summary: string | null;
                key_features: string[];
                image_urls: string[];
                /** @description `Under offer`, `Sold STC`, `Let agreed`; null when it is on the market. */
                status: string | null;
                /** @description `Added on 30/07/2025`, `Reduced today`. */
                added_or_reduced: string | null;
                /** @description `new`, `price_reduced`, `size_change` and the like. */
                listing_update_reason: string | null;
                /** Format: date-time */
                listing_updated_at: string | null;
                /** Format: date-time */
                first_listed_at: string | null;
                /** @description The branch that sells it. */
                agent: {
                    name: string | null;
                    branch_id: string | null;
                    phone: string | null;
                    /** Format: uri */
                    url: string | null;
                } | null;
                /** @description `BUY`, `RENT`, `COMMERCIAL_BUY` and the like. */
                channel: string | null;
                /** @description An advertised row in front of the results. */
                featured: boolean | null;
                auction: boolean | null;
                new_build: boolean | null;
            }[];
            /** @description Pass it as `cursor` to continue; null at the end. */
            next_cursor: string | null;
            /** @description The total number of results, as the site counts them. */
            total_results: number | null;
            /** @description The first page that was read. */
            page: number | null;
            /** @description The number of pages that the site shows, at most 42. */
            total_pages: number | null;
            /** @description The place that was searched. */
            location: {
                /** @description The id of the place at the site: `REGION^61310`. */
                identifier: string | null;
                name: string | null;
            } | null;
            /**
             * @description The run ended early: these are the items collected by then.
             * @constant
             */
            partial?: true;
        };
        /** Result of realty_b.search */
        RealtyBSearchResult: {
            items: {
                property_id: string;
                listing_id: string | null;
                /** Format: uri */
                url: string | null;
                /** @description May hold the unit. */
                street_address: string | null;
                /** @description `Unit G12`, `#405`. */
                unit: string | null;
                city: string | null;
                /** @description State or province, two letters. */
                state: string | null;
                postal_code: string | null;
                /** @description Two letters. */
                country: string | null;
                neighborhood: string | null;
                latitude: number | null;
                longitude: number | null;
                /** @description In `currency`. */
                price: number | null;
                /** @description ISO 4217, by the country. */
                currency: string | null;
                bedrooms: number | null;
                /** @description Half bathrooms count as 0.5. */
                bathrooms: number | null;
                living_area_sqft: number | null;
                price_per_sqft: number | null;
                lot_size_sqft: number | null;
                year_built: number | null;
                stories: number | null;
                /** @description Dues of the home owners’ association for a month. */
                hoa_monthly: number | null;
                property_type: ("single_family" | "condo" | "townhouse" | "multi_family" | "land" | "other") | null;
                /** @description As the listing service states it: `Active`. */
                status: string | null;
                days_on_market: number | null;
                /** @description Milliseconds since it was listed at the site. */
                time_on_site_ms: number | null;
                /** @description The number at the listing service. */
                mls_number: string | null;
                /**
                 * Format: date-time
                 * @description The last sale before this listing.
                 */
                last_sold_at: string | null;
                /** @description The beginning of its description. */
                description: string | null;
                listing_agent: string | null;
                listing_broker: string | null;
                /** Format: date-time */
                open_house_start: string | null;
                /** Format: date-time */
                open_house_end: string | null;
                is_new_construction: boolean | null;
                has_3d_tour: boolean | null;
                /** @description `New`, `Open House`, `3D Walkthrough` and the like. */
                tags: string[];
            }[];
            /** @description Pass it as `cursor` to continue; null at the end. */
            next_cursor: string | null;
            /** @description The place that was searched. */
            location: {
                /** @enum {string} */
                kind: "city" | "zip_code" | "neighborhood" | "county" | "address";
                /** @description The number of the region or home at the site. */
                identifier: string;
                name: string | null;
            } | null;
            /**
             * @description The run ended early: these are the items collected by then.
             * @constant
             */
            partial?: true;
        };
        /** @description One execution of a task. */
        Run: {
            /** @description The id of the run. */
            run_id: string;
            /**
             * @description queued, running and cancelling are in progress; the others are terminal and never change.
             * @enum {string}
             */
            run_status: "queued" | "running" | "cancelling" | "succeeded" | "failed" | "errored" | "cancelled" | "expired";
            /** @description The task. */
            task_key: string;
            /**
             * Format: date-time
             * @description When the run was admitted. RFC 3339 in UTC.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the run first started. RFC 3339 in UTC.
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @description When the run ended. RFC 3339 in UTC.
             */
            finished_at: string | null;
            /**
             * Format: date-time
             * @description When the run ends at the latest; null once it has ended. RFC 3339 in UTC.
             */
            expires_at: string | null;
            /** @description The number of the attempt; 0 until the run starts. */
            attempt: number;
            progress: {
                /** @description How much is done. */
                done: number;
                /** @description The total amount, if it is known. */
                total: number | null;
                message: string | null;
            };
            credits: {
                /** @description Credits charged. */
                charged: number;
                /** @description Credits refunded. A run that did not succeed is refunded in full. */
                refunded: number;
            };
            /** @description What the run collected, as described by the output schema of its task: `items`, `next_cursor` and more. `partial` is true if the run ended early. Null while the run is in progress; `{"expired_at": …}` once the result has been deleted. */
            result: Record<string, unknown> | null;
            artifacts: components["schemas"]["Artifact"][];
            error: components["schemas"]["RunError"] | null;
            links: {
                self: string;
                events: string;
                cancel: string;
            };
        };
        /** @description Why a run did not succeed. */
        RunError: {
            /**
             * @description Stable code.
             * @enum {string}
             */
            code: "not-found" | "private" | "restricted" | "bad-input" | "source-blocked" | "source-rate-limited" | "source-unavailable" | "source-login-required" | "source-changed" | "source-redirected" | "response-too-large" | "defect" | "output-invalid" | "worker-lost" | "out-of-memory" | "queue-limit" | "run-limit";
            /** @description What the code means. */
            title: string;
            /** @description More about this run, in the source's own words where it gave any. */
            detail: string;
        };
        /** Result of shortvideo.comments */
        ShortvideoCommentsResult: {
            items: {
                comment_id: string;
                video_id: string | null;
                /** @description Null for a comment that is only an image. */
                text: string | null;
                /** Format: date-time */
                created_at: string | null;
                like_count: number | null;
                reply_count: number | null;
                language: string | null;
                author: {
                    id: string | null;
                    username: string | null;
                    nickname: string | null;
                    sec_uid: string | null;
                    /** @description Signed: it expires. */
                    avatar_url: string | null;
                };
                is_pinned: boolean;
                liked_by_author: boolean;
                /** @description The role of the author, e.g. Creator. */
                author_label: string | null;
                image_urls: string[];
                mentions: {
                    username: string | null;
                    user_id: string;
                }[];
                parent_comment_id: string | null;
                share_url: string | null;
                /** @description The first replies, where the source shows some. */
                replies_preview: {
                    comment_id: string;
                    video_id: string | null;
                    /** @description Null for a comment that is only an image. */
                    text: string | null;
                    /** Format: date-time */
                    created_at: string | null;
                    like_count: number | null;
                    reply_count: number | null;
                    language: string | null;
                    author: {
                        id: string | null;
                        username: string | null;
                        nickname: string | null;
                        sec_uid: string | null;
                        /** @description Signed: it expires. */
                        avatar_url: string | null;
                    };
                    is_pinned: boolean;
                    liked_by_author: boolean;
                    /** @description The role of the author, e.g. Creator. */
                    author_label: string | null;
                    image_urls: string[];
                    mentions: {
                        username: string | null;
                        user_id: string;
                    }[];
                    parent_comment_id: string | null;
                    share_url: string | null;
                    replies_preview: null;
                }[] | null;
            }[];
            /** @description Pass it as `cursor` to continue; null at the end. */
            next_cursor: string | null;
            video_id: string | null;
            /** @description The total number of comments including replies, as the source counts them. */
            total: number | null;
            /**
             * @description Whether the source has more comments. Without a `next_cursor`, visitors cannot read them.
             * @default false
             */
            has_more: boolean;
            /**
             * @description The run ended early: these are the items collected by then.
             * @constant
             */
            partial?: true;
        };
        /** Result of shortvideo.hashtag */
        ShortvideoHashtagResult: {
            items: {
                video_id: string;
                url: string | null;
                description: string | null;
                /** Format: date-time */
                created_at: string | null;
                duration_seconds: number | null;
                width: number | null;
                height: number | null;
                /** @description Signed: it expires. */
                cover_url: string | null;
                play_count: number | null;
                like_count: number | null;
                comment_count: number | null;
                share_count: number | null;
                collect_count: number | null;
                author: {
                    id: string | null;
                    username: string | null;
                    nickname: string | null;
                    sec_uid: string | null;
                    /** @description Signed: it expires. */
                    avatar_url: string | null;
                    verified: boolean;
                };
                author_stats: {
                    follower_count: number | null;
                    following_count: number | null;
                    like_count: number | null;
                    video_count: number | null;
                } | null;
                music: {
                    id: string | null;
                    title: string | null;
                    author: string | null;
                    original: boolean;
                    duration: number | null;
                } | null;
                hashtags: string[];
                mentions: string[];
                is_ad: boolean;
                is_pinned: boolean;
                /** @description Of a photo post; null for a video. */
                image_urls: string[] | null;
            }[];
            /** @description Pass it as `cursor` to continue; null at the end. */
            next_cursor: string | null;
            hashtag: {
                hashtag_id: string;
                name: string;
                description: string | null;
                video_count: number | null;
                view_count: number | null;
                is_commerce: boolean | null;
                /** @description Signed: it expires. */
                cover_url: string | null;
                /** Format: uri */
                url: string;
            } | null;
            /**
             * @description Whether the source has more videos. Without a `next_cursor`, visitors cannot read them.
             * @default false
             */
            has_more: boolean;
            /**
             * @description The run ended early: these are the items collected by then.
             * @constant
             */
            partial?: true;
        };
        /** @description One thing that can be collected from a source. */
        Task: {
            task_key: string;
            title: string;
            description: string;
            /** @description POST here to start a run. */
            path: string;
            /** @description Other paths of the same task. */
            aliases: string[];
            /** @description The minimum price of a run, in credits. */
            credit_cost: number;
            /** @description How the price depends on the input; null if it does not. */
            pricing: string | null;
            /** @description Whether the account needs a login at the source. */
            requires_login: boolean;
            /** @description JSON Schema 2020-12 of the body. */
            input_schema: Record<string, unknown>;
            /** @description JSON Schema 2020-12 of `result`. */
            output_schema: Record<string, unknown>;
            /** @description A body that works. */
            example: Record<string, unknown>;
            /** @description The source that the task reads. */
            source: string;
            /**
             * @description How the latest runs ended, at most 20, over all accounts. healthy: recent runs were answered; degraded: a fifth or more of the recent runs could not be served; broken: none of the last three runs could be served; unknown: no run in the last 24 hours to judge by.
             * @enum {string}
             */
            health: "healthy" | "degraded" | "broken" | "unknown";
        };
        /** Result of video.channel.shorts */
        VideoChannelShortsResult: {
            items: {
                video_id: string;
                /** Format: uri */
                url: string;
                title: string | null;
                /** @description Rounded, as the source shows it: 1600000 for "1.6M views". */
                view_count: number | null;
                view_count_text: string | null;
                /** Format: uri */
                thumbnail_url: string | null;
                thumbnails: {
                    /** Format: uri */
                    url: string;
                    width: number | null;
                    height: number | null;
                }[];
                /** @description Null in most lists of the source. */
                duration_seconds: number | null;
                /** @description The age, if the source shows it: "2 months ago". */
                published_text: string | null;
                /**
                 * Format: date-time
                 * @description Always null: no list of the source gives a date.
                 */
                published_at: string | null;
                channel_id: string;
                channel_title: string | null;
                /** @description From 0, over all pages. */
                position: number;
                /** @description The page of the source, from 1. */
                page: number;
            }[];
            /** @description Pass it as `cursor` to continue; null at the end. */
            next_cursor: string | null;
            channel: {
                channel_id: string;
                title: string | null;
                /** @description With its @. */
                handle: string | null;
                /**
                 * Format: uri
                 * @description By its id.
                 */
                url: string;
                description: string | null;
                /** Format: uri */
                avatar_url: string | null;
                subscriber_count_text: string | null;
                video_count_text: string | null;
            } | null;
            sort: ("latest" | "popular" | "oldest") | null;
            /** @description The sort orders that the source offers. */
            sort_available: ("latest" | "popular" | "oldest")[] | null;
            pages_fetched: number | null;
            item_count: number | null;
            /** @description Whether there are more pages. */
            has_more: boolean | null;
            /**
             * @description The run ended early: these are the items collected by then.
             * @constant
             */
            partial?: true;
        };
        /** @description An endpoint that events are delivered to. */
        Webhook: {
            webhook_id: string;
            /** Format: uri */
            url: string;
            /** @description The event types that are delivered. */
            types: ("RunRequested" | "RunStarted" | "RunProgressed" | "ResultStored" | "ArtifactStored" | "RunRequeued" | "RunNotAdmitted" | "RunCancelRequested" | "RunSucceeded" | "RunFailed" | "RunErrored" | "RunCancelled" | "RunExpired" | "KeyCreated" | "KeyRevoked" | "AccountOpened" | "EntitlementsSet" | "CreditsGranted" | "CreditsCharged" | "CreditsRefunded" | "LoginRequested" | "LoginCompleted" | "LoginRejected" | "LoginDeleted" | "AccountRenamed" | "MemberInvited" | "InvitationWithdrawn" | "MemberAdded" | "MemberRoleChanged" | "MemberRemoved" | "WebhookCreated" | "WebhookChanged" | "WebhookSecretRotated" | "WebhookDisabled" | "WebhookEnabled" | "WebhookAdvanced" | "WebhookDeleted")[];
            description: string | null;
            /**
             * @description A disabled endpoint is sent nothing.
             * @enum {string}
             */
            state: "enabled" | "disabled";
            disabled_reason: ("requested" | "gone" | "failing") | null;
            /**
             * Format: date-time
             * @description The first failed try since the last success. RFC 3339 in UTC.
             */
            failing_since: string | null;
            /**
             * Format: date-time
             * @description The last try that succeeded. RFC 3339 in UTC.
             */
            last_success_at: string | null;
            /**
             * Format: date-time
             * @description When the endpoint was created. RFC 3339 in UTC.
             */
            created_at: string;
        };
        WebhookDelivery: {
            /** @description The id of the event, which is sent as `webhook-id`. */
            event_id: string;
            /** @description The type of the event. */
            type: string;
            /** @description The stream of the event. */
            subject: string;
            /**
             * @description failed: there are no further tries.
             * @enum {string}
             */
            state: "delivered" | "pending" | "failed";
            /** @description The tries, oldest first. */
            attempts: {
                /**
                 * Format: date-time
                 * @description When the try was made. RFC 3339 in UTC.
                 */
                at: string;
                /** @description The status of the answer; null without an answer. */
                status: number | null;
                /** @description How long the try took, in milliseconds. */
                duration_ms: number;
                /** @description Why the try failed; null if it succeeded. */
                error: string | null;
                /** @description The first 4 KiB of the body of the answer; null without an answer. */
                response: string | null;
            }[];
            /**
             * Format: date-time
             * @description When the next try is made. RFC 3339 in UTC.
             */
            next_attempt_at: string | null;
        };
        /** @description An endpoint with its new secret. */
        WebhookWithSecret: {
            webhook_id: string;
            /** Format: uri */
            url: string;
            /** @description The event types that are delivered. */
            types: ("RunRequested" | "RunStarted" | "RunProgressed" | "ResultStored" | "ArtifactStored" | "RunRequeued" | "RunNotAdmitted" | "RunCancelRequested" | "RunSucceeded" | "RunFailed" | "RunErrored" | "RunCancelled" | "RunExpired" | "KeyCreated" | "KeyRevoked" | "AccountOpened" | "EntitlementsSet" | "CreditsGranted" | "CreditsCharged" | "CreditsRefunded" | "LoginRequested" | "LoginCompleted" | "LoginRejected" | "LoginDeleted" | "AccountRenamed" | "MemberInvited" | "InvitationWithdrawn" | "MemberAdded" | "MemberRoleChanged" | "MemberRemoved" | "WebhookCreated" | "WebhookChanged" | "WebhookSecretRotated" | "WebhookDisabled" | "WebhookEnabled" | "WebhookAdvanced" | "WebhookDeleted")[];
            description: string | null;
            /**
             * @description A disabled endpoint is sent nothing.
             * @enum {string}
             */
            state: "enabled" | "disabled";
            disabled_reason: ("requested" | "gone" | "failing") | null;
            /**
             * Format: date-time
             * @description The first failed try since the last success. RFC 3339 in UTC.
             */
            failing_since: string | null;
            /**
             * Format: date-time
             * @description The last try that succeeded. RFC 3339 in UTC.
             */
            last_success_at: string | null;
            /**
             * Format: date-time
             * @description When the endpoint was created. RFC 3339 in UTC.
             */
            created_at: string;
            /** @description Signs the deliveries. It is shown only once. */
            secret: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listTasks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All tasks, by key. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        tasks: components["schemas"]["Task"][];
                    };
                };
            };
        };
    };
    getTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                task_key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The task. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
        };
    };
    encyclopedia_search: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Article search query. */
                    query: string;
                    /** @description The position to continue from: `next_cursor` of a previous result. */
                    cursor?: string;
                    /** @description The maximum number of articles. Default: one page of the wiki (10). */
                    limit?: number;
                };
            };
        };
        responses: {
            /** @description The ended run, whatever its status: `_run.async` was false. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"] & {
                        result: components["schemas"]["EncyclopediaSearchResult"] | {
                            /**
                             * Format: date-time
                             * @description When the result was deleted. RFC 3339 in UTC.
                             */
                            expired_at: string;
                        } | null;
                    };
                };
            };
            /** @description The run was admitted. After a sync call: it has not ended yet; poll it. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    flights_search: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description From where: an airport code (`LHR`), the name of a city or airport, or an id of the source (`/m/04jpl`). */
                    origin: string;
                    /** @description To where: an airport code (`LHR`), the name of a city or airport, or an id of the source (`/m/04jpl`). */
                    destination: string;
                    /**
                     * @description The number of adults.
                     * @default 1
                     */
                    adults?: number;
                    /** @description Day of departure, YYYY-MM-DD, today or later; default 28 days from today. */
                    depart_date?: string;
                    /** @description The maximum number of offers. Default: all offers on the page. */
                    limit?: number;
                    /** @description Day of the flight back, YYYY-MM-DD, with `depart_date` only; default one way. */
                    return_date?: string;
                };
            };
        };
        responses: {
            /** @description The ended run, whatever its status: `_run.async` was false. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"] & {
                        result: components["schemas"]["FlightsSearchResult"] | {
                            /**
                             * Format: date-time
                             * @description When the result was deleted. RFC 3339 in UTC.
                             */
                            expired_at: string;
                        } | null;
                    };
                };
            };
            /** @description The run was admitted. After a sync call: it has not ended yet; poll it. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    forum_community_details: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Must be a community: its name, r/name, or its address, such as https://www.reddit.com/r/name. */
                    community?: string;
                    /** @description The address of the community, instead of its name. */
                    url?: string;
                    /**
                     * @description The sections to read.
                     * @default [
                     *       "about",
                     *       "rules"
                     *     ]
                     */
                    include?: ("about" | "rules" | "moderators")[];
                    /**
                     * @description Also reads the moderators, in addition to `include`.
                     * @default false
                     */
                    includeModerators?: boolean;
                };
            };
        };
        responses: {
            /** @description The ended run, whatever its status: `_run.async` was false. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"] & {
                        result: components["schemas"]["ForumCommunityDetailsResult"] | {
                            /**
                             * Format: date-time
                             * @description When the result was deleted. RFC 3339 in UTC.
                             */
                            expired_at: string;
                        } | null;
                    };
                };
            };
            /** @description The run was admitted. After a sync call: it has not ended yet; poll it. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    forum_community_hot: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Must be a community: its name, r/name, or its address, such as https://www.reddit.com/r/name. */
                community: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description The maximum number of items. Default: one page of the site (25, plus pinned posts). */
                    limit?: number;
                    /** @description The position to continue from: `next_cursor` of a previous result. */
                    after?: string;
                    /** @description Reads backwards from a position: `before` of a previous result. */
                    before?: string;
                };
            };
        };
        responses: {
            /** @description The ended run, whatever its status: `_run.async` was false. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"] & {
                        result: components["schemas"]["ForumCommunityHotResult"] | {
                            /**
                             * Format: date-time
                             * @description When the result was deleted. RFC 3339 in UTC.
                             */
                            expired_at: string;
                        } | null;
                    };
                };
            };
            /** @description The run was admitted. After a sync call: it has not ended yet; poll it. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    forum_community_rising: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Must be a community: its name, r/name, or its address, such as https://www.reddit.com/r/name. */
                community: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description The maximum number of items. Default: one page of the site (25, plus pinned posts). */
                    limit?: number;
                    /** @description The position to continue from: `next_cursor` of a previous result. */
                    after?: string;
                    /** @description Reads backwards from a position: `before` of a previous result. */
                    before?: string;
                };
            };
        };
        responses: {
            /** @description The ended run, whatever its status: `_run.async` was false. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"] & {
                        result: components["schemas"]["ForumCommunityRisingResult"] | {
                            /**
                             * Format: date-time
                             * @description When the result was deleted. RFC 3339 in UTC.
                             */
                            expired_at: string;
                        } | null;
                    };
                };
            };
            /** @description The run was admitted. After a sync call: it has not ended yet; poll it. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    forum_posts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Must be a community: its name, r/name, or its address, such as https://www.reddit.com/r/name. */
                    community?: string;
                    /**
                     * @description The listing. Default: hot for a community, best for the front page. Only the front page has best.
                     * @enum {string}
                     */
                    sort?: "best" | "hot" | "new" | "rising" | "top" | "controversial";
                    /**
                     * @description For the listings top and controversial; the other listings ignore it.
                     * @default hour
                     * @enum {string}
                     */
                    timeframe?: "hour" | "day" | "week" | "month" | "year" | "all";
                    /** @description The maximum number of items. Default: one page of the site (25, plus pinned posts). */
                    limit?: number;
                    /** @description The position to continue from: `next_cursor` of a previous result. */
                    after?: string;
                    /** @description Reads backwards from a position: `before` of a previous result. */
                    before?: string;
                };
            };
        };
        responses: {
            /** @description The ended run, whatever its status: `_run.async` was false. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"] & {
                        result: components["schemas"]["ForumPostsResult"] | {
                            /**
                             * Format: date-time
                             * @description When the result was deleted. RFC 3339 in UTC.
                             */
                            expired_at: string;
                        } | null;
                    };
                };
            };
            /** @description The run was admitted. After a sync call: it has not ended yet; poll it. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    forum_search: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description What to search for. */
                    query: string;
                    /** @description Must be a community: its name, r/name, or its address, such as https://www.reddit.com/r/name. */
                    community?: string;
                    /**
                     * @default relevance
                     * @enum {string}
                     */
                    sort?: "relevance" | "hot" | "top" | "new" | "comments";
                    /**
                     * @description The maximum age of posts. Default: any age.
                     * @enum {string}
                     */
                    timeframe?: "hour" | "day" | "week" | "month" | "year" | "all";
                    /** @description The maximum number of items. Default: one page of the site (25, plus pinned posts). */
                    limit?: number;
                    /** @description The position to continue from: `next_cursor` of a previous result. */
                    after?: string;
                    /** @description Reads backwards from a position: `before` of a previous result. */
                    before?: string;
                };
            };
        };
        responses: {
            /** @description The ended run, whatever its status: `_run.async` was false. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"] & {
                        result: components["schemas"]["ForumSearchResult"] | {
                            /**
                             * Format: date-time
                             * @description When the result was deleted. RFC 3339 in UTC.
                             */
                            expired_at: string;
                        } | null;
                    };
                };
            };
            /** @description The run was admitted. After a sync call: it has not ended yet; poll it. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    forum_user: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of the user, without u/. */
                username: string;
                /** @description Both, posts only, or comments only. */
                type: "overview" | "submitted" | "comments";
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description The maximum number of items. Default: one page of the site (25, plus pinned posts). */
                    limit?: number;
                    /** @description The position to continue from: `next_cursor` of a previous result. */
                    after?: string;
                };
            };
        };
        responses: {
            /** @description The ended run, whatever its status: `_run.async` was false. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"] & {
                        result: components["schemas"]["ForumUserResult"] | {
                            /**
                             * Format: date-time
                             * @description When the result was deleted. RFC 3339 in UTC.
                             */
                            expired_at: string;
                        } | null;
                    };
                };
            };
            /** @description The run was admitted. After a sync call: it has not ended yet; poll it. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    forum_wiki: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Must be a community: its name, r/name, or its address, such as https://www.reddit.com/r/name. */
                    community: string;
                    /** @description The page, such as index or config/sidebar. Default: the list of all pages. */
                    pageName?: string;
                };
            };
        };
        responses: {
            /** @description The ended run, whatever its status: `_run.async` was false. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"] & {
                        result: components["schemas"]["ForumWikiResult"] | {
                            /**
                             * Format: date-time
                             * @description When the result was deleted. RFC 3339 in UTC.
                             */
                            expired_at: string;
                        } | null;
                    };
                };
            };
            /** @description The run was admitted. After a sync call: it has not ended yet; poll it. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    marketplace_member_items: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Full member profile URL, on any known domain: https://www.vinted.co.uk/member/123-name. */
                    member_url: string;
                    /**
                     * @description Wardrobe sort order.
                     * @default relevance
                     * @enum {string}
                     */
                    order?: "relevance" | "newest_first" | "price_low_to_high" | "price_high_to_low";
                    /**
                     * @description The number of pages to read.
                     * @default 1
                     */
                    pages?: number;
                    /**
                     * @description Items per page.
                     * @default 20
                     */
                    per_page?: number;
                };
            };
        };
        responses: {
            /** @description The ended run, whatever its status: `_run.async` was false. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"] & {
                        result: components["schemas"]["MarketplaceMemberItemsResult"] | {
                            /**
                             * Format: date-time
                             * @description When the result was deleted. RFC 3339 in UTC.
                             */
                            expired_at: string;
                        } | null;
                    };
                };
            };
            /** @description The run was admitted. After a sync call: it has not ended yet; poll it. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    marketplace_member_search: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Member search term. */
                    query: string;
                    /**
                     * @description The site: a domain, with or without www, or its https origin. One of vinted.co.uk, vinted.fr, vinted.de, vinted.it, vinted.es, vinted.nl, vinted.be, vinted.pl, vinted.pt, vinted.lt, vinted.lu, vinted.at, vinted.cz, vinted.sk, vinted.hu, vinted.ro, vinted.hr, vinted.fi, vinted.dk, vinted.se, vinted.ie, vinted.gr, vinted.com.
                     * @default vinted.co.uk
                     */
                    domain?: string;
                    /**
                     * @description The number of pages to read.
                     * @default 1
                     */
                    pages?: number;
                };
            };
        };
        responses: {
            /** @description The ended run, whatever its status: `_run.async` was false. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"] & {
                        result: components["schemas"]["MarketplaceMemberSearchResult"] | {
                            /**
                             * Format: date-time
                             * @description When the result was deleted. RFC 3339 in UTC.
                             */
                            expired_at: string;
                        } | null;
                    };
                };
            };
            /** @description The run was admitted. After a sync call: it has not ended yet; poll it. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    marketplace_search: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Search term. */
                    query: string;
                    /**
                     * @description The site: a domain, with or without www, or its https origin. One of vinted.co.uk, vinted.fr, vinted.de, vinted.it, vinted.es, vinted.nl, vinted.be, vinted.pl, vinted.pt, vinted.lt, vinted.lu, vinted.at, vinted.cz, vinted.sk, vinted.hu, vinted.ro, vinted.hr, vinted.fi, vinted.dk, vinted.se, vinted.ie, vinted.gr, vinted.com.
                     * @default vinted.co.uk
                     */
                    domain?: string;
                    /**
                     * @description The number of pages to read.
                     * @default 1
                     */
                    pages?: number;
                };
            };
        };
        responses: {
            /** @description The ended run, whatever its status: `_run.async` was false. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"] & {
                        result: components["schemas"]["MarketplaceSearchResult"] | {
                            /**
                             * Format: date-time
                             * @description When the result was deleted. RFC 3339 in UTC.
                             */
                            expired_at: string;
                        } | null;
                    };
                };
            };
            /** @description The run was admitted. After a sync call: it has not ended yet; poll it. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    marketplace_search_filtered: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Search term. */
                    query: string;
                    /** @description Brands: an array of strings, or one comma-separated string. */
                    brand_ids?: string[] | string;
                    /** @description Categories; added to catalog_ids: an array of strings, or one comma-separated string. */
                    catalog?: string[] | string;
                    /** @description Categories: an array of strings, or one comma-separated string. */
                    catalog_ids?: string[] | string;
                    /** @description Colours: an array of strings, or one comma-separated string. */
                    color_ids?: string[] | string;
                    /**
                     * @description The site: a domain, with or without www, or its https origin. One of vinted.co.uk, vinted.fr, vinted.de, vinted.it, vinted.es, vinted.nl, vinted.be, vinted.pl, vinted.pt, vinted.lt, vinted.lu, vinted.at, vinted.cz, vinted.sk, vinted.hu, vinted.ro, vinted.hr, vinted.fi, vinted.dk, vinted.se, vinted.ie, vinted.gr, vinted.com.
                     * @default vinted.co.uk
                     */
                    domain?: string;
                    /** @description Materials: an array of strings, or one comma-separated string. */
                    material_ids?: string[] | string;
                    /**
                     * @description Sort order.
                     * @default relevance
                     * @enum {string}
                     */
                    order?: "relevance" | "newest_first" | "price_low_to_high" | "price_high_to_low" | "oldest_first";
                    /**
                     * @description The number of pages to read.
                     * @default 1
                     */
                    pages?: number;
                    /** @description Patterns: an array of strings, or one comma-separated string. */
                    patterns_ids?: string[] | string;
                    /** @description Minimum item price, in the currency of the domain. */
                    price_from?: string;
                    /** @description Maximum item price, in the currency of the domain. */
                    price_to?: string;
                    /** @description Sizes: an array of strings, or one comma-separated string. */
                    size_ids?: string[] | string;
                    /** @description Conditions (6 new with tags, 1 new without tags, 2 very good, 3 good, 4 satisfactory): an array of strings, or one comma-separated string. */
                    status_ids?: string[] | string;
                };
            };
        };
        responses: {
            /** @description The ended run, whatever its status: `_run.async` was false. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"] & {
                        result: components["schemas"]["MarketplaceSearchFilteredResult"] | {
                            /**
                             * Format: date-time
                             * @description When the result was deleted. RFC 3339 in UTC.
                             */
                            expired_at: string;
                        } | null;
                    };
                };
            };
            /** @description The run was admitted. After a sync call: it has not ended yet; poll it. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    microblog_search: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Words, a phrase, or operators of the site. */
                    query: string;
                    /** @description The maximum number of posts, accounts or lists. Default: one page of the source. */
                    max_posts?: number;
                    /**
                     * @description The tab of the search.
                     * @default top
                     * @enum {string}
                     */
                    tab?: "top" | "latest" | "people" | "media" | "lists";
                };
            };
        };
        responses: {
            /** @description The ended run, whatever its status: `_run.async` was false. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"] & {
                        result: components["schemas"]["MicroblogSearchResult"] | {
                            /**
                             * Format: date-time
                             * @description When the result was deleted. RFC 3339 in UTC.
                             */
                            expired_at: string;
                        } | null;
                    };
                };
            };
            /** @description The run was admitted. After a sync call: it has not ended yet; poll it. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    microblog_timeline: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description The maximum number of posts. Default: one page of the source. */
                    max_posts?: number;
                    /**
                     * @description `for_you`: posts chosen by the site. `following`: posts of followed accounts.
                     * @default for_you
                     * @enum {string}
                     */
                    timeline_type?: "following" | "for_you";
                };
            };
        };
        responses: {
            /** @description The ended run, whatever its status: `_run.async` was false. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"] & {
                        result: components["schemas"]["MicroblogTimelineResult"] | {
                            /**
                             * Format: date-time
                             * @description When the result was deleted. RFC 3339 in UTC.
                             */
                            expired_at: string;
                        } | null;
                    };
                };
            };
            /** @description The run was admitted. After a sync call: it has not ended yet; poll it. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    photo_profile_download: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description A username, @name, or the address of a profile. */
                    profile: string;
                    /** @description The maximum number of posts. Default: all of them. */
                    maxPosts?: number;
                };
            };
        };
        responses: {
            /** @description The ended run, whatever its status: `_run.async` was false. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"] & {
                        result: components["schemas"]["PhotoProfileDownloadResult"] | {
                            /**
                             * Format: date-time
                             * @description When the result was deleted. RFC 3339 in UTC.
                             */
                            expired_at: string;
                        } | null;
                    };
                };
            };
            /** @description The run was admitted. After a sync call: it has not ended yet; poll it. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    realty_a_search: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description A place: city, town, county, postcode or station. The first match is searched. */
                    query: string;
                    /** @description The position to continue from: `next_cursor` of a previous result. */
                    cursor?: string;
                    /** @description The maximum number of properties. Default: one page of the site (24, plus a featured one). */
                    limit?: number;
                    /** @description The page of the source to read. */
                    page?: number;
                };
            };
        };
        responses: {
            /** @description The ended run, whatever its status: `_run.async` was false. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"] & {
                        result: components["schemas"]["RealtyASearchResult"] | {
                            /**
                             * Format: date-time
                             * @description When the result was deleted. RFC 3339 in UTC.
                             */
                            expired_at: string;
                        } | null;
                    };
                };
            };
            /** @description The run was admitted. After a sync call: it has not ended yet; poll it. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    realty_b_search: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description City, neighborhood, county, ZIP code or address. A state is too broad. */
                    query: string;
                    /** @description The position to continue from: `next_cursor` of a previous result. */
                    cursor?: string;
                    /** @description The maximum number of homes. Default: one page (40). */
                    limit?: number;
                    /** @description The page of the source to read. */
                    page?: number;
                };
            };
        };
        responses: {
            /** @description The ended run, whatever its status: `_run.async` was false. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"] & {
                        result: components["schemas"]["RealtyBSearchResult"] | {
                            /**
                             * Format: date-time
                             * @description When the result was deleted. RFC 3339 in UTC.
                             */
                            expired_at: string;
                        } | null;
                    };
                };
            };
            /** @description The run was admitted. After a sync call: it has not ended yet; poll it. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    shortvideo_comments: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description The public address of the video. */
                    url?: string;
                    /** @description Required with `video_id` when `url` is not sent. */
                    username?: string;
                    /** @description Required with `username` when `url` is not sent. */
                    video_id?: string;
                    /** @description The position to continue from: `next_cursor` of a previous result. */
                    cursor?: string;
                    /** @description The maximum number of items. Default: one page of the source. */
                    max_comments?: number;
                };
            };
        };
        responses: {
            /** @description The ended run, whatever its status: `_run.async` was false. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"] & {
                        result: components["schemas"]["ShortvideoCommentsResult"] | {
                            /**
                             * Format: date-time
                             * @description When the result was deleted. RFC 3339 in UTC.
                             */
                            expired_at: string;
                        } | null;
                    };
                };
            };
            /** @description The run was admitted. After a sync call: it has not ended yet; poll it. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    shortvideo_hashtag: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description With or without leading #. */
                    hashtag: string;
                    /** @description The position to continue from: `next_cursor` of a previous result. */
                    cursor?: string;
                    /** @description The maximum number of items. Default: one page of the source. */
                    max_videos?: number;
                };
            };
        };
        responses: {
            /** @description The ended run, whatever its status: `_run.async` was false. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"] & {
                        result: components["schemas"]["ShortvideoHashtagResult"] | {
                            /**
                             * Format: date-time
                             * @description When the result was deleted. RFC 3339 in UTC.
                             */
                            expired_at: string;
                        } | null;
                    };
                };
            };
            /** @description The run was admitted. After a sync call: it has not ended yet; poll it. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    video_channel_shorts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description Exactly one of `channel_id`, `channel_url` and `handle` is required. */
                    channel_id?: string;
                    /** @description Any address of the channel or of one of its tabs. */
                    channel_url?: string;
                    /** @description With or without its leading @. */
                    handle?: string;
                    /**
                     * @description The number of pages to read.
                     * @default 1
                     */
                    pages?: number;
                    /**
                     * @description The sort order. When the source does not offer it, all pages must be read to sort by it.
                     * @default latest
                     * @enum {string}
                     */
                    sort?: "latest" | "popular" | "oldest";
                };
            };
        };
        responses: {
            /** @description The ended run, whatever its status: `_run.async` was false. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"] & {
                        result: components["schemas"]["VideoChannelShortsResult"] | {
                            /**
                             * Format: date-time
                             * @description When the result was deleted. RFC 3339 in UTC.
                             */
                            expired_at: string;
                        } | null;
                    };
                };
            };
            /** @description The run was admitted. After a sync call: it has not ended yet; poll it. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    listRuns: {
        parameters: {
            query?: {
                /** @description Only runs with this `run_status`. */
                status?: "queued" | "running" | "cancelling" | "succeeded" | "failed" | "errored" | "cancelled" | "expired" | "canceled";
                /** @description Only runs of this task. */
                task_key?: string;
                /** @description Entries per page. Default: 50. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. The other parameters must stay the same. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of runs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        runs: components["schemas"]["Run"][];
                        /** @description The cursor of the next page; null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    getRun: {
        parameters: {
            query?: {
                /** @description Seconds to wait for the end of the run. The answer is the run as it is then. */
                wait?: number;
            };
            header?: never;
            path: {
                /** @description The id of the run. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The run. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    cancelRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the run. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The run as it is now. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
        };
    };
    getRunItems: {
        parameters: {
            query?: {
                /** @description json (default), ndjson or csv. */
                format?: "json" | "ndjson" | "csv";
            };
            header?: never;
            path: {
                /** @description The id of the run. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The items. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, unknown>[];
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
        };
    };
    streamRunEvents: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the run. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["Event"];
                };
            };
            /** @description The run has ended, and Last-Event-ID was its last event. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    downloadArtifact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the run. */
                run_id: string;
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description The part that Range asked for. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
        };
    };
    getAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The account. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
        };
    };
    getLedger: {
        parameters: {
            query?: {
                /** @description Entries per page. Default: 50. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. The other parameters must stay the same. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of entries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        entries: components["schemas"]["LedgerEntry"][];
                        /** @description The cursor of the next page; null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    listLogins: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The logins. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        logins: {
                            /** @description The source. */
                            source: string;
                            /**
                             * @description needs_login: a sign-in is needed; in_progress: a link to sign in is open; ready: runs use the login.
                             * @enum {string}
                             */
                            state: "needs_login" | "in_progress" | "ready";
                            /**
                             * Format: date-time
                             * @description When the sign-in was completed; null unless the login is ready. RFC 3339 in UTC.
                             */
                            signed_in_at: string | null;
                            /**
                             * Format: date-time
                             * @description When a run last used the login. RFC 3339 in UTC.
                             */
                            last_used_at: string | null;
                            /**
                             * Format: date-time
                             * @description When the login was last found to work. RFC 3339 in UTC.
                             */
                            last_checked_at: string | null;
                        }[];
                    };
                };
            };
        };
    };
    startLogin: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The source. */
                source: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The login, with its link. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The source. */
                        source: string;
                        /**
                         * @description needs_login: a sign-in is needed; in_progress: a link to sign in is open; ready: runs use the login.
                         * @enum {string}
                         */
                        state: "needs_login" | "in_progress" | "ready";
                        /**
                         * Format: date-time
                         * @description When the sign-in was completed; null unless the login is ready. RFC 3339 in UTC.
                         */
                        signed_in_at: string | null;
                        /**
                         * Format: date-time
                         * @description When a run last used the login. RFC 3339 in UTC.
                         */
                        last_used_at: string | null;
                        /**
                         * Format: date-time
                         * @description When the login was last found to work. RFC 3339 in UTC.
                         */
                        last_checked_at: string | null;
                        /**
                         * Format: uri
                         * @description The link to sign in with. It can be opened once, in a browser.
                         */
                        hosted_url: string;
                        /**
                         * Format: date-time
                         * @description When the link expires, and the sign-in with it. RFC 3339 in UTC.
                         */
                        expires_at: string;
                    };
                };
            };
        };
    };
    deleteLogin: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The source. */
                source: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The login as it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The source. */
                        source: string;
                        /**
                         * @description needs_login: a sign-in is needed; in_progress: a link to sign in is open; ready: runs use the login.
                         * @enum {string}
                         */
                        state: "needs_login" | "in_progress" | "ready";
                        /**
                         * Format: date-time
                         * @description When the sign-in was completed; null unless the login is ready. RFC 3339 in UTC.
                         */
                        signed_in_at: string | null;
                        /**
                         * Format: date-time
                         * @description When a run last used the login. RFC 3339 in UTC.
                         */
                        last_used_at: string | null;
                        /**
                         * Format: date-time
                         * @description When the login was last found to work. RFC 3339 in UTC.
                         */
                        last_checked_at: string | null;
                    };
                };
            };
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description A position: the `next_after` of a page or the `sequence` of an event. Default: from the start. */
                after?: string;
                /** @description Only events of these types, by name, separated by commas. */
                types?: string;
                /** @description Events per page. Default: 100. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of events. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        events: components["schemas"]["Event"][];
                        /** @description The `after` of the next page; never null. */
                        next_after: string;
                        /** @description Whether this was the end of the log. */
                        caught_up: boolean;
                    };
                };
            };
        };
    };
    streamEvents: {
        parameters: {
            query?: {
                /** @description A position: the `next_after` of a page or the `sequence` of an event. Default: from the start. */
                after?: string;
                /** @description Only events of these types, by name, separated by commas. */
                types?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
    mcp: {
        parameters: {
            query?: {
                /** @description Tasks that each become a separate tool: keys, or key prefixes that end in *, separated by commas. */
                tasks?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    jsonrpc: "2.0";
                    id?: string | number;
                    method: string;
                    params?: {
                        [key: string]: unknown;
                    };
                } & {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The answer to a request, as JSON or as one server-sent event. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        jsonrpc: "2.0";
                    } & {
                        [key: string]: unknown;
                    };
                    "text/event-stream": string;
                };
            };
            /** @description A notification was accepted. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    listKeys: {
        parameters: {
            query?: {
                /** @description The account. Required with the operator key; other keys see their own account only. */
                account_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        keys: components["schemas"]["Key"][];
                    };
                };
            };
        };
    };
    createKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description The account. Required with the operator key; other keys see their own account only. */
                    account_id?: string;
                    /** @description A name of your choice. */
                    name?: string | null;
                    /**
                     * @description `runs`: tasks, runs, account; `admin`: the keys of the account; `events`: the event feed. None implies another.
                     * @default [
                     *       "runs"
                     *     ]
                     */
                    scopes?: ("runs" | "admin" | "events")[];
                    /**
                     * Format: date-time
                     * @description When the key expires: a future time, RFC 3339. Default: never.
                     */
                    expires_at?: string | null;
                };
            };
        };
        responses: {
            /** @description The new key. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewKey"];
                };
            };
        };
    };
    revokeKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The key to revoke. */
                    key_id: string;
                    /** @description The account. Required with the operator key; other keys see their own account only. */
                    account_id?: string;
                };
            };
        };
        responses: {
            /** @description The key. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoints. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        webhooks: components["schemas"]["Webhook"][];
                    };
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description An https URL without user name and password. Its host must have public addresses only. */
                    url: string;
                    /** @description The event types to deliver. Default: the ends of runs (RunSucceeded, RunFailed, RunErrored, RunCancelled, RunExpired). */
                    types?: ("RunRequested" | "RunStarted" | "RunProgressed" | "ResultStored" | "ArtifactStored" | "RunRequeued" | "RunNotAdmitted" | "RunCancelRequested" | "RunSucceeded" | "RunFailed" | "RunErrored" | "RunCancelled" | "RunExpired" | "KeyCreated" | "KeyRevoked" | "AccountOpened" | "EntitlementsSet" | "CreditsGranted" | "CreditsCharged" | "CreditsRefunded" | "LoginRequested" | "LoginCompleted" | "LoginRejected" | "LoginDeleted" | "AccountRenamed" | "MemberInvited" | "InvitationWithdrawn" | "MemberAdded" | "MemberRoleChanged" | "MemberRemoved" | "WebhookCreated" | "WebhookChanged" | "WebhookSecretRotated" | "WebhookDisabled" | "WebhookEnabled" | "WebhookAdvanced" | "WebhookDeleted")[];
                    /** @description A text of your choice. It stays in the event log. */
                    description?: string | null;
                };
            };
        };
        responses: {
            /** @description The endpoint, with its secret. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the endpoint. */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoint. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the endpoint. */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoint is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    changeWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the endpoint. */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description An https URL without user name and password. Its host must have public addresses only. */
                    url?: string;
                    /** @description The event types to deliver. Default: the ends of runs (RunSucceeded, RunFailed, RunErrored, RunCancelled, RunExpired). */
                    types?: ("RunRequested" | "RunStarted" | "RunProgressed" | "ResultStored" | "ArtifactStored" | "RunRequeued" | "RunNotAdmitted" | "RunCancelRequested" | "RunSucceeded" | "RunFailed" | "RunErrored" | "RunCancelled" | "RunExpired" | "KeyCreated" | "KeyRevoked" | "AccountOpened" | "EntitlementsSet" | "CreditsGranted" | "CreditsCharged" | "CreditsRefunded" | "LoginRequested" | "LoginCompleted" | "LoginRejected" | "LoginDeleted" | "AccountRenamed" | "MemberInvited" | "InvitationWithdrawn" | "MemberAdded" | "MemberRoleChanged" | "MemberRemoved" | "WebhookCreated" | "WebhookChanged" | "WebhookSecretRotated" | "WebhookDisabled" | "WebhookEnabled" | "WebhookAdvanced" | "WebhookDeleted")[];
                    /** @description A text of your choice. It stays in the event log. */
                    description?: string | null;
                    /**
                     * @description disabled: nothing is sent until it is enabled again.
                     * @enum {string}
                     */
                    state?: "enabled" | "disabled";
                };
            };
        };
        responses: {
            /** @description The endpoint. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the endpoint. */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoint, with its new secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the endpoint. */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the endpoint answered. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Whether the endpoint answered with 2xx within 30 seconds. */
                        delivered: boolean;
                        /** @description The status of the answer; null without an answer. */
                        status: number | null;
                        /** @description How long the try took, in milliseconds. */
                        duration_ms: number;
                        /** @description Why the try failed; null if it succeeded. */
                        error: string | null;
                        /** @description The first 4 KiB of the body of the answer; null without an answer. */
                        response: string | null;
                    };
                };
            };
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description Entries per page. Default: 50. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. The other parameters must stay the same. */
                cursor?: string;
                /** @description Only deliveries in this state. */
                state?: "delivered" | "pending" | "failed";
            };
            header?: never;
            path: {
                /** @description The id of the endpoint. */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deliveries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        deliveries: components["schemas"]["WebhookDelivery"][];
                        /** @description The cursor of the next page; null on the last page. */
                        next_cursor: string | null;
                    };
                };
            };
        };
    };
    replayWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of the endpoint. */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description One event. */
                    event_id?: string;
                    /**
                     * Format: date-time
                     * @description All events from this time on.
                     */
                    from?: string;
                    /**
                     * Format: date-time
                     * @description Up to this time. Default: now.
                     */
                    until?: string;
                    /** @description Only events whose delivery failed. Default: false. */
                    only_failed?: boolean;
                };
            };
        };
        responses: {
            /** @description The deliveries are queued. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description How many. */
                        deliveries: number;
                    };
                };
            };
        };
    };
    openAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The name of the team. */
                    name: string;
                    /**
                     * @description Credits to start with.
                     * @default 0
                     */
                    credits?: number;
                };
            };
        };
        responses: {
            /** @description The account and its first key. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The id of the account. */
                        account_id: string;
                        name: string;
                        balance: number;
                        /** @description The first key of the account, with all scopes. Shown once: null in the answer to a repeat. */
                        api_key: string | null;
                    };
                };
            };
        };
    };
    grantCredits: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The account. */
                    account_id: string;
                    /** @description Credits. */
                    amount: number;
                    /** @description Shown in the account's ledger. */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description The new balance. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The id of the account. */
                        account_id: string;
                        balance: number;
                    };
                };
            };
        };
    };
    setEntitlements: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The account. */
                    account_id: string;
                    /** @description The tasks that the account may run. */
                    tasks?: string[];
                    limits?: {
                        /** @description Task calls per minute. 0 means no limit, null the default of the service. */
                        kickoff_per_minute?: number | null;
                        /** @description Reads per minute. 0 means no limit, null the default of the service. */
                        read_per_minute?: number | null;
                        /** @description Key calls per minute. 0 means no limit, null the default of the service. */
                        admin_per_minute?: number | null;
                        /** @description Concurrent runs. 0 means no limit, null the default of the service. */
                        concurrent_runs?: number | null;
                    };
                    /** @description A suspended account can read, but it cannot start runs. */
                    suspended?: boolean;
                };
            };
        };
        responses: {
            /** @description The account. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
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
            /** @description The process is alive. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "ok";
                    };
                };
            };
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Requests can be sent here. `checks` names what is missing. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "ready" | "degraded" | "not-ready";
                        checks: {
                            [key: string]: "ok" | "missing";
                        };
                    };
                };
            };
        };
    };
}

/** The tasks by their keys. Declare those of your own plugins in the same way, in `declare module 'gleaner-client'`. */
export interface Tasks {
    "encyclopedia.search": {
        input: operations["encyclopedia_search"]["requestBody"]["content"]["application/json"];
        result: components["schemas"]["EncyclopediaSearchResult"];
    };
    "flights.search": {
        input: operations["flights_search"]["requestBody"]["content"]["application/json"];
        result: components["schemas"]["FlightsSearchResult"];
    };
    "forum.community.details": {
        input: NonNullable<operations["forum_community_details"]["requestBody"]>["content"]["application/json"];
        result: components["schemas"]["ForumCommunityDetailsResult"];
    };
    "forum.community.hot": {
        input: operations["forum_community_hot"]["parameters"]["path"] & NonNullable<operations["forum_community_hot"]["requestBody"]>["content"]["application/json"];
        result: components["schemas"]["ForumCommunityHotResult"];
    };
    "forum.community.rising": {
        input: operations["forum_community_rising"]["parameters"]["path"] & NonNullable<operations["forum_community_rising"]["requestBody"]>["content"]["application/json"];
        result: components["schemas"]["ForumCommunityRisingResult"];
    };
    "forum.posts": {
        input: NonNullable<operations["forum_posts"]["requestBody"]>["content"]["application/json"];
        result: components["schemas"]["ForumPostsResult"];
    };
    "forum.search": {
        input: operations["forum_search"]["requestBody"]["content"]["application/json"];
        result: components["schemas"]["ForumSearchResult"];
    };
    "forum.user": {
        input: operations["forum_user"]["parameters"]["path"] & NonNullable<operations["forum_user"]["requestBody"]>["content"]["application/json"];
        result: components["schemas"]["ForumUserResult"];
    };
    "forum.wiki": {
        input: operations["forum_wiki"]["requestBody"]["content"]["application/json"];
        result: components["schemas"]["ForumWikiResult"];
    };
    "marketplace.member.items": {
        input: operations["marketplace_member_items"]["requestBody"]["content"]["application/json"];
        result: components["schemas"]["MarketplaceMemberItemsResult"];
    };
    "marketplace.member.search": {
        input: operations["marketplace_member_search"]["requestBody"]["content"]["application/json"];
        result: components["schemas"]["MarketplaceMemberSearchResult"];
    };
    "marketplace.search": {
        input: operations["marketplace_search"]["requestBody"]["content"]["application/json"];
        result: components["schemas"]["MarketplaceSearchResult"];
    };
    "marketplace.search.filtered": {
        input: operations["marketplace_search_filtered"]["requestBody"]["content"]["application/json"];
        result: components["schemas"]["MarketplaceSearchFilteredResult"];
    };
    "microblog.search": {
        input: operations["microblog_search"]["requestBody"]["content"]["application/json"];
        result: components["schemas"]["MicroblogSearchResult"];
    };
    "microblog.timeline": {
        input: NonNullable<operations["microblog_timeline"]["requestBody"]>["content"]["application/json"];
        result: components["schemas"]["MicroblogTimelineResult"];
    };
    "photo.profile-download": {
        input: operations["photo_profile_download"]["requestBody"]["content"]["application/json"];
        result: components["schemas"]["PhotoProfileDownloadResult"];
    };
    "realty_a.search": {
        input: operations["realty_a_search"]["requestBody"]["content"]["application/json"];
        result: components["schemas"]["RealtyASearchResult"];
    };
    "realty_b.search": {
        input: operations["realty_b_search"]["requestBody"]["content"]["application/json"];
        result: components["schemas"]["RealtyBSearchResult"];
    };
    "shortvideo.comments": {
        input: NonNullable<operations["shortvideo_comments"]["requestBody"]>["content"]["application/json"];
        result: components["schemas"]["ShortvideoCommentsResult"];
    };
    "shortvideo.hashtag": {
        input: operations["shortvideo_hashtag"]["requestBody"]["content"]["application/json"];
        result: components["schemas"]["ShortvideoHashtagResult"];
    };
    "video.channel.shorts": {
        input: NonNullable<operations["video_channel_shorts"]["requestBody"]>["content"]["application/json"];
        result: components["schemas"]["VideoChannelShortsResult"];
    };
}
