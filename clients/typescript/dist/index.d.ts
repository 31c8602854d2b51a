/**
 * The client of Gleaner, a data-extraction run service.
 *
 * @module
 */
export type * from '../generated/api.d.ts';
export { type ClientCode, type ErrorCode, GleanerError, LoginRequired, RunFailed } from './errors.ts';
export { type EventsOptions, Gleaner, type PagesOptions, type RunOptions, type StartOptions, } from './gleaner.ts';
export type { GleanerOptions } from './http.ts';
export type { Abortable, AnyRun, EndedRun, ExportFormat, Input, Item, Progress, Result, Run, RunData, SucceededRun, TaskKey, WaitOptions, } from './run.ts';
export { verifyWebhook, type WebhookEvent, type WebhookHeaders } from './webhook.ts';
