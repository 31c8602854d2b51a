/**
 * Validates a value against its schema and reports every issue in plain words. TypeBox's compiled check is the fast
 * path. Only a value that fails it is traversed for its issues.
 *
 * @module
 */
import type { TObject, TSchema } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import type { Issue } from '../plugin/schema/issue.ts'
import { typesOf } from '../plugin/schema/types.ts'
import { hintOf, nearest, shown } from './names.ts'
import { isObject, mustBe, plainText, typeOf } from './words.ts'

/** A longer list is of no use, and a body of 1 MiB can hold 100,000 unknown fields. */
const MOST_ISSUES = 50

const checks = new WeakMap<TSchema, TypeCheck<TSchema>>()

/** Whether `value` matches `schema`; unknown fields do not. The check is compiled once per schema. */
export function isValid(schema: TSchema, value: unknown): boolean {
  let check = checks.get(schema)
  if (!check) {
    // Formats only describe. TypeBox's format registry is shared by all its users in a process, so checks would depend
    // on what they registered.
    check = TypeCompiler.Compile(changed(closed(schema), ({ format: _, ...part }: TSchema) => part))
    checks.set(schema, check)
  }
  return check.Check(value)
}

/** A copy in which every object refuses unknown fields unless it says otherwise: what the check accepts. */
export const closed = (schema: TSchema): TSchema =>
  changed(schema, (part) =>
    part.properties ? { ...part, additionalProperties: part.additionalProperties ?? false } : part,
  )

/** A copy of a schema with all its parts changed. */
function changed(schema: TSchema, change: (part: TSchema) => TSchema): TSchema {
  const copy = { ...change(schema) }
  const each = (part: TSchema) => changed(part, change)
  if (copy.properties) {
    copy.properties = Object.fromEntries(
      Object.entries<TSchema>(copy.properties).map(([name, property]) => [name, each(property)]),
    )
  }
  if (copy.items && !Array.isArray(copy.items)) copy.items = each(copy.items)
  if (copy.anyOf) copy.anyOf = copy.anyOf.map(each)
  return copy
}

/**
 * Every issue of a JSON value, at most 50: unknown and missing fields, types, bounds, lengths (in characters, not
 * UTF-16 units), and texts that contain lone surrogates or control characters other than tab and newline.
 *
 * @param schema of any type; objects refuse unknown fields unless they set `additionalProperties`
 * @param value as returned by `JSON.parse`
 * @param known further field names to suggest for a misspelt one
 * @returns an empty array when it is valid
 * @example
 * issuesOf(Type.Object({ title: Type.String() }), { titel: 'A lamp', title: 7 })
 * // => [
 * //   { pointer: '/titel', code: 'unknown-field', detail: 'is not a known field; did you mean "title"?' },
 * //   { pointer: '/title', code: 'wrong-type', detail: 'must be text' },
 * // ]
 */
export function issuesOf(schema: TSchema, value: unknown, known: readonly string[] = []): Issue[] {
  if (isValid(schema, value) && isCleanJson(value)) return []
  return issuesAt('', schema, value, known).take(MOST_ISSUES).toArray()
}

/** Whether no text in a value, at any depth, has lone surrogates or control characters other than tab and newline. */
function isCleanJson(value: unknown): boolean {
  if (typeof value === 'string') return plainText(value)
  return typeof value !== 'object' || value === null || Object.values(value).every(isCleanJson)
}

function* issuesAt(
  pointer: string,
  schema: TSchema,
  value: unknown,
  known: readonly string[] = [],
): Generator<Issue> {
  const wrong = (code: string, detail = mustBe(schema)): Issue => ({ pointer, code, detail })
  if (schema.anyOf) yield* issuesOfUnion(pointer, schema, value)
  else if (!typesOf(schema).includes(typeOf(value, schema))) yield wrong('wrong-type')
  else if (schema.properties && isObject(value))
    yield* issuesOfFields(pointer, schema as TObject, value, known)
  else if (schema.type === 'array' && Array.isArray(value)) yield* issuesOfArray(pointer, schema, value)
  else if (typeof value === 'string') yield* issuesOfText(wrong, schema, value)
  else if ('const' in schema && schema.const !== value) yield wrong('not-allowed')
  else if (isValid(schema, value)) yield* textIssues(pointer, value)
  else yield wrong(typeof value === 'number' ? 'out-of-range' : 'wrong-type')
}

/** Reports the issues of the branch with the value's type and the fewest issues. If no branch has it, all are named. */
function* issuesOfUnion(pointer: string, schema: TSchema, value: unknown): Generator<Issue> {
  const branches = (schema.anyOf as TSchema[]).filter((b) => typesOf(b).includes(typeOf(value, b)))
  const issues = branches.map((branch) => issuesAt(pointer, branch, value).take(MOST_ISSUES).toArray())
  const least = issues.sort((a, b) => a.length - b.length)[0]
  if (least && (least.length === 0 || !branches.every((branch) => 'const' in branch))) yield* least
  else yield { pointer, code: least ? 'not-allowed' : 'wrong-type', detail: mustBe(schema) }
}

function* issuesOfFields(
  pointer: string,
  schema: TObject,
  value: Readonly<Record<string, unknown>>,
  known: readonly string[],
): Generator<Issue> {
  const { properties, required = [], additionalProperties: open = false } = schema
  for (const name of required) {
    if (!Object.hasOwn(value, name) || value[name] === undefined)
      yield { pointer: `${pointer}/${token(name)}`, code: 'missing-field', detail: 'is required' }
  }
  for (const name of Object.keys(value)) {
    const at = `${pointer}/${token(name)}`
    if (Object.hasOwn(properties, name)) {
      if (value[name] !== undefined) yield* issuesAt(at, properties[name]!, value[name])
    } else if (open !== false) yield* textIssues(at, value[name])
    else {
      const hint = hintOf(nearest(name, [...Object.keys(properties), ...known]))
      yield { pointer: at, code: 'unknown-field', detail: `is not a known field${hint}` }
    }
  }
}

function* issuesOfArray(pointer: string, schema: TSchema, value: readonly unknown[]): Generator<Issue> {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema
  if (value.length < minItems || value.length > maxItems)
    yield { pointer, code: 'out-of-range', detail: mustBe(schema) }
  else if (schema.uniqueItems && new Set(value).size < value.length)
    yield { pointer, code: 'not-allowed', detail: 'must not contain duplicates' }
  else for (const [i, entry] of value.entries()) yield* issuesAt(`${pointer}/${i}`, schema.items, entry)
}

/** Checks that apply to every text, including those that the schema does not describe. */
function* textIssues(pointer: string, value: unknown): Generator<Issue> {
  const detail = 'must contain only well-formed text without control characters'
  if (!isCleanJson(value)) yield { pointer, code: 'bad-text', detail }
}

/** Checks a text. Lengths count characters, unlike TypeBox's check, so every keyword is checked here. */
function* issuesOfText(
  wrong: (code: string, detail?: string) => Issue,
  schema: TSchema,
  value: string,
): Generator<Issue> {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern = '' } = schema
  const { length } = [...value]
  if (!value.isWellFormed()) yield wrong('bad-text', 'must be well-formed Unicode, without lone surrogates')
  else if (!plainText(value))
    yield wrong('bad-text', 'must not contain control characters other than tab and newline')
  else if (length < minLength) yield wrong('too-short')
  else if (length > maxLength) yield wrong('too-long')
  else if ('const' in schema && schema.const !== value) yield wrong('not-allowed')
  else if (!new RegExp(pattern).test(value)) yield wrong('bad-format')
}

/** A name as one segment of a JSON pointer, truncated if it is too long to show. */
const token = (name: string): string => shown(name).replaceAll('~', '~0').replaceAll('/', '~1')
