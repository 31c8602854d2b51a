export { GleanerError, LoginRequired, RunFailed } from "./errors.js";
export { Gleaner, } from "./gleaner.js";
export { verifyWebhook } from "./webhook.js";
