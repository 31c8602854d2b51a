/**
 * Answers of the source's data services: several JSON documents, each in a string within an envelope.
 *
 * @module
 */
import { at, blockPage, integerOrNull, SourceChanged, type SourceError, textOrNull } from 'gleaner/plugin'
import { blockOf, refusalOf } from './refusals.ts'

const GUARD = ")]}'"

/** `refusal`: an error that stands beside the documents; what these lack need not be missing. */
export type Answer = { readonly documents: readonly unknown[]; readonly refusal: SourceError | undefined }

/**
 * Reads an answer: its documents in their order, at least one. A length stands before each envelope, in characters or
 * bytes; it is passed over, since a line of digits before a list can't be part of JSON.
 *
 * @throws {SourceError} for an answer that refuses, or that is none
 */
export function answerOf(body: string): Answer {
  if (!body.trimStart().startsWith(GUARD))
    throw (
      blockOf(body) ??
      blockPage(body) ??
      new SourceChanged('the answer of the data service does not begin as it should')
    )
  const rows = body
    .trimStart()
    .slice(GUARD.length)
    .split(/(?:^|\n)\s*\d+\s*\n(?=\[)/)
    .filter((envelope) => envelope.trim() !== '')
    .flatMap(rowsOf)
  const documents = rows.flatMap(documentOf)
  const refusal = rows.map(refusalIn).find((found) => found !== undefined)
  if (documents.length > 0) return { documents, refusal }
  throw refusal ?? new SourceChanged('the answer of the data service holds no document')
}

function rowsOf(envelope: string): readonly unknown[] {
  const rows = parsed(envelope)
  if (!Array.isArray(rows)) throw new SourceChanged('the answer of the data service is no list')
  return rows
}

/** `["wrb.fr", service or null, "<document>", ...]`; other rows are about the exchange. */
function documentOf(row: unknown): unknown[] {
  const text = at(row, 2)
  return at(row, 0) === 'wrb.fr' && typeof text === 'string' && text !== '' ? [parsed(text)] : []
}

/** `["wrb.fr", ..., null, ..., [code, words]]`, where 0 is no error, or `["er", ..., code, ...]`. */
function refusalIn(row: unknown): SourceError | undefined {
  const kind = at(row, 0)
  const code = integerOrNull(kind === 'er' ? at(row, 5) : at(row, 5, 0))
  const isRefused = kind === 'er' || (kind === 'wrb.fr' && code !== null && code !== 0)
  return isRefused ? refusalOf(code, textOrNull(at(row, 5, 1))) : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new SourceChanged('the answer of the data service is no JSON')
  }
}
