/**
 * Why a plugin could not be loaded, in a line.
 *
 * @module
 */

/** What Bun says of an error in a module's text. */
type BuildMessage = {
  readonly message: string
  readonly position?: { readonly file: string; readonly line: number; readonly column: number } | null
}

/**
 * The first line of an error message, after the file, line and column of an error in a module's text: runtimes add code
 * frames and import chains below it.
 */
export function reasonOf(error: unknown): string {
  // Bun throws several errors as one without their places.
  const first = error instanceof AggregateError ? error.errors[0] : error
  const text = first instanceof Error || isBuildMessage(first) ? first.message || first.name : String(first)
  const line = text.split('\n').find((part) => part.trim() !== '') ?? 'unknown'
  const place = isBuildMessage(first) ? placeOf(first) : DENO_PLACE.exec(text)?.[1]
  return `${place ? `${place}: ` : ''}${line.trim()}`.slice(0, 500)
}

const isBuildMessage = (error: unknown): error is BuildMessage & { readonly name: string } =>
  typeof error === 'object' && error !== null && 'position' in error && 'message' in error

const placeOf = ({ position }: BuildMessage): string | undefined =>
  position ? `${position.file}:${position.line}:${position.column}` : undefined

/** Deno names the place below the message. */
const DENO_PLACE = /^\s+at (?:file:\/\/)?(\S+:\d+:\d+)$/m
