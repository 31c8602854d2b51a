/**
 * The tables of docs/sources.md, and their places in it.
 *
 * @module
 */
import type { Source, Task } from '../../src/plugin.ts'
import type { Cost } from './cost.ts'
import type { Evidence, FieldFill } from './evidence.ts'

/** The declarations of each source. */
export function sourceTable(sources: readonly Source[]): string {
  const rows = sources.map(({ name, origin, userAgent, pace = {}, tasks }) => [
    code(name),
    `<${origin}>`,
    tasks.map(({ key }) => code(key)).join(', '),
    meansOf(tasks, userAgent),
    `${pace.perSecond ?? 5} a second, ${pace.concurrent ?? 4} at once`,
  ])
  return table(['source', 'reads', 'tasks', 'by', 'pace for each host'], rows)
}

function meansOf(tasks: readonly Task[], userAgent: string | undefined): string {
  const requests = userAgent === undefined ? 'plain requests' : 'plain requests, as a browser'
  const means = tasks.some(({ needs }) => needs?.browser) ? 'a browser' : requests
  if (tasks.some(({ needs }) => needs?.login === true)) return `${means}, signed in`
  return tasks.some(({ needs }) => needs?.login) ? `${means}, signed in where there is a login` : means
}

/** The recorded answers of each task: the same on every machine. */
export function recordedTable(all: readonly Evidence[]): string {
  const rows = all.map(({ task, cases, items, fields, failures }) => [
    code(task.key),
    cases === 0 ? 'none' : String(cases),
    cases === 0 ? '' : String(items),
    items === 0 ? '' : fillWords(fields),
    failures.map(code).join(', '),
  ])
  return table(['task', 'recorded cases', 'items', 'fields filled in', 'failure pages recognised'], rows)
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
    .filter(({ items, filled }) => filled < items || items === 0)
    .sort((a, b) => partOf(a) - partOf(b))
    .map((field) => `${code(field.name)} ${percent(field)} %`)
  if (lacking.length === 0) return `all ${fields.length} always`
  return `${fields.length - lacking.length} of ${fields.length} always; ${lacking.join(', ')}`
}

const partOf = ({ items, filled }: FieldFill): number => (items === 0 ? 0 : filled / items)

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
  const found = place(name).exec(document)
  if (!found) throw new Error(`no place for the table ${name}`)
  return (found[2] ?? '').trimEnd()
}

/** A document with another table at a place. @throws if the document has no such place */
export function withTable(document: string, name: string, content: string): string {
  tableAt(document, name)
  return document.replace(place(name), (_, begin: string, __, end: string) => `${begin}${content}\n${end}`)
}
