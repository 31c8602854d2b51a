export { GleanerError, LoginRequired } from "./errors.js";
export { Gleaner, } from "./gleaner.js";
export { RunFailed, } from "./run.js";
export { verifyWebhook } from "./webhook.js";
