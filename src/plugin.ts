/**
 * The module for plugin authors, imported as `gleaner/plugin`: a source, its tasks, what a task is given while it
 * runs, the errors by which it says how it ended, and helpers for inputs, items and pages. Nothing else of the service
 * is for plugins; `gleaner/plugin/testing` is for their tests.
 *
 * @module
 */
export { blockPage, type PageSigns, titleOf } from './plugin/block-page.ts'
export type { ArtifactWriter, Context, FetchOptions, Reply, UnfinishedFile } from './plugin/context.ts'
export { csvRow } from './plugin/csv.ts'
export { csvRecords } from './plugin/csv-records.ts'
export { jsonAfter } from './plugin/embedded.ts'
export {
  BadInput,
  Blocked,
  type ErrorKind,
  LoginNeeded,
  NotFound,
  Private,
  RateLimited,
  Restricted,
  SourceChanged,
  SourceError,
  type SourceErrorCode,
  TryAgain,
  Unavailable,
} from './plugin/errors.ts'
export {
  Choice,
  CommaList,
  Cursor,
  type CursorForm,
  Limit,
  Link,
  listOf,
  Nullable,
  Page,
  Pages,
  Query,
  type TChoice,
  Time,
} from './plugin/fields.ts'
export type { Issue } from './plugin/issue.ts'
export { from, reader, type Way } from './plugin/item.ts'
export { isPage, type JsonOptions, jsonIn, parseJson } from './plugin/json.ts'
export type { Answers, BrowserPage, PageOptions } from './plugin/page.ts'
export { type PagedOptions, type PageOf, paged } from './plugin/paging.ts'
export { base64Bytes, base64Url, protobufAt, protobufOf } from './plugin/protobuf.ts'
export { type Static, type TSchema, Type } from './plugin/schema.ts'
export {
  BROWSER,
  defineSource,
  type Interstitial,
  type Login,
  type Pace,
  type Source,
  type SourceOptions,
} from './plugin/source.ts'
export { statusError } from './plugin/status.ts'
export { defineTask, type Price, type Rest, type Task, type TaskOptions } from './plugin/task.ts'
export {
  at,
  entriesAt,
  flagOrNull,
  idOrNull,
  integerOrNull,
  linkOrNull,
  listAt,
  numberOrNull,
  textOf,
  textOrNull,
  timeOf,
} from './plugin/text.ts'
export { domainWithin, hostMatches, urlIssues, urlWithin } from './plugin/urls.ts'
export { storedFiles } from './plugin/zip/reading.ts'
export { createZip, type Zip, type ZipFile, type ZipOptions } from './plugin/zip.ts'
