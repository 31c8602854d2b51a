/**
 * The module for plugin authors, imported as `gleaner/plugin`. It declares sources and tasks, the context that a
 * running task gets, the errors that a task may throw, and helpers for inputs, items and pages. Plugins must not
 * import any other part of the service. Their tests import `gleaner/plugin/testing`.
 *
 * @module
 */

export { BROWSER, type RequestedAs } from './plugin/browser-headers.ts'
export { csvRow } from './plugin/csv-row.ts'
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
export { blockPage, type PageSigns, titleOf } from './plugin/reading/block-page.ts'
export { csvRecords } from './plugin/reading/csv-records.ts'
export { jsonAfter } from './plugin/reading/embedded.ts'
export { isPage, type JsonOptions, jsonIn, parseJson } from './plugin/reading/json.ts'
export { base64Bytes, base64Url, protobufAt, protobufOf } from './plugin/reading/protobuf.ts'
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
} from './plugin/reading/text.ts'
export { domainWithin, hostMatches, urlIssues, urlWithin } from './plugin/reading/urls.ts'
export type { ArtifactWriter, Context, Note, UnfinishedFile } from './plugin/run/context.ts'
export type { Memory } from './plugin/run/memory.ts'
export type { Answers, BrowserPage, PageOptions } from './plugin/run/page.ts'
export { type PagedOptions, type PageOf, paged } from './plugin/run/paging.ts'
export type { FetchOptions, Reply } from './plugin/run/reply.ts'
export { type Route, type RoutesOptions, refusalOf, routes } from './plugin/run/routes.ts'
export { readRows } from './plugin/run/rows.ts'
export { statusError } from './plugin/run/status.ts'
export {
  Choice,
  CommaList,
  Cursor,
  type CursorForm,
  Limit,
  Link,
  listOf,
  type NamedValue,
  named,
  Page,
  Pages,
  Query,
  type TChoice,
  Time,
} from './plugin/schema/fields.ts'
export type { Issue } from './plugin/schema/issue.ts'
export { type FieldPath, field, reader } from './plugin/schema/item.ts'
export { quantity, shortUrl, summaryOf } from './plugin/schema/summary.ts'
export { type Static, type TSchema, Type } from './plugin/schema/type.ts'
export {
  defineSource,
  type Interstitial,
  type Login,
  type LoginCheck,
  type Pace,
  type PaceLimits,
  type Source,
  type SourceOptions,
} from './plugin/source.ts'
export { defineTask, type Price, type Rest, type Task, type TaskOptions } from './plugin/task.ts'
export { storedFiles } from './plugin/zip/reading.ts'
export { createZip, type Zip, type ZipFile, type ZipOptions } from './plugin/zip/zip.ts'
export { Nullable } from './schema.ts'
