/**
 * Reads responses of the source's data services: several JSON documents, each in a string within an envelope.
 *
 * @module
 */
import { at, integerOrNull, parseJson, SourceChanged, type SourceError, textOrNull } from 'gleaner/plugin'
import { refusalOf } from './refusals.ts'

/** The beginning of every response. */
export const GUARD = ")]}'"

/** `refusal`: an error beside the documents, which may then be incomplete. */
export type Answer = { readonly documents: readonly unknown[]; readonly refusal: SourceError | undefined }

/**
 * Reads a response: at least one document, in order. The length before each envelope, in characters or bytes, is
 * skipped: a line of digits before a list cannot be part of JSON.
 *
 * @throws {SourceError} for an error without documents, and for anything that is not a response of a data service
 */
export function answerOf(body: string): Answer {
  if (!body.trimStart().startsWith(GUARD))
    throw new SourceChanged('the response of the data service has an unknown beginning')
  const rows = body
    .trimStart()
    .slice(GUARD.length)
    .split(/^[ \t]*\d+[ \t\r]*\n(?=\[)/m)
    .filter((envelope) => envelope.trim() !== '')
    .flatMap(rowsOf)
  const all = rows.flatMap(documentOf)
  const documents = all.filter((document) => quotaIn(document) === undefined)
  const refusal = [...rows.map(refusalIn), ...all.map(quotaIn)].find((error) => error !== undefined)
  if (documents.length > 0) return { documents, refusal }
  throw refusal ?? new SourceChanged('the response of the data service contains no document')
}

function rowsOf(envelope: string): readonly unknown[] {
  const rows = parseJson(envelope)
  if (!Array.isArray(rows)) throw new SourceChanged('the response of the data service is not a list')
  return rows
}

/** The document of a row `["wrb.fr", service or null, "<document>", ...]`. Other rows describe the exchange. */
function documentOf(row: unknown): unknown[] {
  const text = at(row, 2)
  return at(row, 0) === 'wrb.fr' && typeof text === 'string' && text !== '' ? [parseJson(text)] : []
}

/** The error of a row `["wrb.fr", ..., null, ..., [code, words]]`, where 0 is no error, or `["er", ..., code, ...]`. */
function refusalIn(row: unknown): SourceError | undefined {
  const kind = at(row, 0)
  const code = integerOrNull(kind === 'er' ? at(row, 5) : at(row, 5, 0))
  const isRefused = kind === 'er' || (kind === 'wrb.fr' && code !== null && code !== 0)
  return isRefused ? refusalOf(code, textOrNull(at(row, 5, 1))) : undefined
}

/** The error of a document `{"error": {"code": 429, "message": ..}}`, which comes in place of the data. */
function quotaIn(document: unknown): SourceError | undefined {
  const code = integerOrNull(at(document, 'error', 'code'))
  return code === null ? undefined : refusalOf(code, textOrNull(at(document, 'error', 'message')))
}
