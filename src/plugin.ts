/**
 * The module for plugin authors, imported as `gleaner/plugin`: a source, its tasks, what a task is given while it
 * runs, and the errors by which it says how it ended. Nothing else of the service is for plugins.
 *
 * @module
 */
export { type TSchema, type Static, Type } from '@sinclair/typebox'
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
export { defineSource, type Source, type SourceOptions, type Pace } from './plugin/source.ts'
export { defineTask, type Issue, type Price, type Task, type TaskOptions } from './plugin/task.ts'
export type { ArtifactWriter, Context, FetchOptions, Reply } from './plugin/context.ts'
