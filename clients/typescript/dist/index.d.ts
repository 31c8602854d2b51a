/**
 * The client of Gleaner, a data-extraction run service.
 *
 * @module
 */
export type * from '../generated/api.d.ts';
export { type ClientCode, type ErrorCode, GleanerError, LoginRequired } from './errors.ts';
export { type CreateOptions, type EventsOptions, Gleaner, type HealthOptions, type PagesOptions, type RunOptions, type StartOptions, } from './gleaner.ts';
export type { GleanerOptions } from './http.ts';
export { type Abortable, type AnyRun, type EndedRun, type ExportFormat, type Input, type Item, type Progress, type Result, type Run, type RunData, RunFailed, type SucceededRun, type TaskKey, type WaitOptions, } from './run.ts';
export { verifyWebhook, type WebhookEvent, type WebhookHeaders } from './webhook.ts';
