/**
 * The module for plugin authors, imported as `gleaner/plugin`: a source, its tasks, what a task is given while it
 * runs, and the errors by which it says how it ended. Nothing else of the service is for plugins.
 *
 * @module
 */
export { type Static, type TSchema, Type } from '@sinclair/typebox'
export type { ArtifactWriter, Context, FetchOptions, Reply } from './plugin/context.ts'
export {
  BadInput,
  Blocked,
  LoginNeeded,
  NotFound,
  Private,
  RateLimited,
  Restricted,
  SourceChanged,
  SourceError,
  TryAgain,
  Unavailable,
} from './plugin/errors.ts'
export { defineSource, type Pace, type Source, type SourceOptions } from './plugin/source.ts'
export { defineTask, type Issue, type Price, type Task, type TaskOptions } from './plugin/task.ts'
