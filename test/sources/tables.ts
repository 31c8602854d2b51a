/**
 * The tables of docs/sources.md, and their places in it.
 *
 * @module
 */
import type { Pace, PaceLimits, Source } from '../../src/plugin.ts'
import type { Cost } from './cost.ts'
import type { Evidence, FieldFill } from './evidence.ts'

/** The declarations of each source. */
export function sourceTable(sources: readonly Source[]): string {
  const rows = sources.map((source) => [
    code(source.name),
    `<${source.origin}>`,
    source.tasks.map(({ key }) => code(key)).join(', '),
    meansOf(source),
    paceWords(source.pace),
  ])
  return table(['source', 'reads', 'tasks', 'by', 'pace'], rows)
}

/** `0.8 a second, 20 after a rest, 1 at once, all hosts together; *.cdn.example: 10 a second, 4 at once`. */
function paceWords(pace: Pace = {}): string {
  const { together = false, hosts = {}, withoutContact } = pace
  const others = Object.entries(hosts).map(([host, limits]) => `${code(host)}: ${limitWords(limits)}`)
  const anonymous = withoutContact ? [`without a contact ${limitWords(withoutContact)}`] : []
  const all = `${limitWords(pace)}, ${together ? 'all hosts together' : 'each host'}`
  return [all, ...anonymous, ...others].join('; ')
}

function limitWords({ perSecond = 5, burst, perMinute, concurrent = 4 }: PaceLimits): string {
  const words = [perSecond < 0.3 ? `1 in ${figure(1 / perSecond)} seconds` : `${figure(perSecond)} a second`]
  if (burst !== undefined) words.push(`${burst} after a rest`)
  if (perMinute !== undefined) words.push(`${perMinute} a minute`)
  return [...words, `${concurrent} at once`].join(', ')
}

function meansOf({ tasks, userAgent, credentials = [] }: Source): string {
  const requests = userAgent === undefined ? 'plain requests' : 'plain requests, as a browser'
  const hasBrowser = tasks.some(({ needs }) => needs?.browser)
  if (tasks.some(({ needs }) => needs?.login === true))
    return `${hasBrowser ? 'a browser' : requests}, signed in`
  // A source that names itself in requests makes some before it opens a page.
  const means = !hasBrowser ? requests : userAgent === undefined ? 'a browser' : `${requests}, then a browser`
  const more = [
    ...(credentials.length > 0 ? ['with the credentials of an API where they are set'] : []),
    ...(tasks.some(({ needs }) => needs?.login) ? ['signed in where there is a login'] : []),
  ]
  return [means, ...more].join(', ')
}

/** The recorded answers of each task: the same on every machine. */
export function recordedTable(all: readonly Evidence[]): string {
  const rows = all.map(({ task, cases, syntheticCases, items, fields, failures }) => [
    code(task.key),
    [
      ...(cases > syntheticCases ? [`${cases - syntheticCases} recorded`] : []),
      ...(syntheticCases > 0 ? [`${syntheticCases} made after reports`] : []),
    ].join(', ') || 'none',
    cases === 0 ? '' : String(items),
    items === 0 ? '' : fillWords(fields),
    failures.map(code).join(', '),
  ])
  return table(['task', 'cases', 'items', 'fields filled in', 'failure pages recognised'], rows)
}

/** The cost of a run: figures differ between machines. */
export function costTable(all: readonly Cost[]): string {
  const rows = all.map(({ task, runs, cpuMs, bytes }) => [
    code(task.key),
    figure(cpuMs / runs),
    figure(bytes / runs / 1024),
    figure(cpuMs / (bytes / 1024 / 1024)),
  ])
  return table(['task', 'CPU ms a run', 'KiB read in it', 'CPU ms a MiB'], rows)
}

/** `12 of 14 always; `colour` 40 %, `brand` 93 %`: lists the fields that are not always filled, the rarest first. */
function fillWords(fields: readonly FieldFill[]): string {
  const lacking = fields
    .filter(({ items, filled }) => filled < items)
    .sort((a, b) => partOf(a) - partOf(b))
    .map((field) => `${code(field.name)} ${percent(field)} %`)
  if (lacking.length === 0) return `all ${fields.length} always`
  return `${fields.length - lacking.length} of ${fields.length} always; ${lacking.join(', ')}`
}

const partOf = ({ items, filled }: FieldFill): number => filled / items

/** Neither 0 nor 100 unless it is exactly that. */
const percent = (field: FieldFill): number => {
  const part = partOf(field)
  return part === 0 ? 0 : Math.min(99, Math.max(1, Math.round(part * 100)))
}

const code = (text: string): string => `\`${text}\``
const figure = (value: number): string => String(Number(value.toPrecision(2)))

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n')
}

const place = (name: string): RegExp => new RegExp(`(<!-- table: ${name} -->\n)(|[^]*?\n)(<!-- end -->)`)

/** The table at a place of a document. @throws if the document has no such place */
export function tableAt(document: string, name: string): string {
  const match = place(name).exec(document)
  if (!match) throw new Error(`no place for the table ${name}`)
  return (match[2] ?? '').trimEnd()
}

/** A document with another table at a place. @throws if the document has no such place */
export function withTable(document: string, name: string, content: string): string {
  tableAt(document, name)
  return document.replace(place(name), (_, begin: string, __, end: string) => `${begin}${content}\n${end}`)
}
