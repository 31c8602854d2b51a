/**
 * Finds variables of modules that can change. Runs of several accounts share a process, and so its modules.
 *
 * Code is formatted, so each statement of a module begins at the start of a line, and its other lines do not.
 *
 * @module
 */
import { posix } from 'node:path'
import { codeWithoutFunctions, spacedOut } from './code.ts'

type File = { readonly path: string; readonly text: string }
type Constant = {
  readonly name: string
  readonly type: string
  readonly value: string
  readonly text: string
}

const MADE = /(?<!\.\.\.)(?<![\w$.(])new (Map|Set|WeakMap|WeakSet)\b/
const INSTANCE = /^new (?!(?:Map|Set|RegExp|URL|TextEncoder|TextDecoder)\b|Intl\.)/
const CHANGERS = 'push|pop|shift|unshift|splice|sort|reverse|fill|copyWithin|set|add|delete|clear|append|next'

/**
 * All variables of modules that can change, each with its file and the reason.
 *
 * @param files those of one plugin: an exported object may be changed by another file
 */
export function changingState(files: readonly File[]): string[] {
  const all = files.map((file) => ({ ...file, code: spacedOut(file.text) }))
  return all.flatMap((file) => {
    const faults = statementsOf(file.code).flatMap(({ start, code }) => {
      const text = file.text.slice(start, start + code.length)
      const [, word, name] = /^(?:export )?(let|var) ([\w$]+|[{[])/.exec(code) ?? []
      if (word !== undefined) return [`${name} is declared with ${word}`]
      if (/^(?:export )?(?:default )?(?:abstract )?class\b/.test(code)) return staticFields(code)
      const constant = constantOf(code, text)
      if (!constant) return []
      const users = all.filter((other) => other.path === file.path || importsName(other, file, constant.name))
      return faultsOf(
        constant,
        users.map((user) => user.code),
      )
    })
    return faults.map((fault) => `${file.path}: ${fault}`)
  })
}

/** The statements of a module, each with its position. */
function statementsOf(code: string): { readonly start: number; readonly code: string }[] {
  const starts = [...code.matchAll(/^(?=[^\s)\]}])/gm)].map(({ index }) => index)
  return starts.map((start, i) => ({ start, code: code.slice(start, starts[i + 1]) }))
}

/** @param text the same statement with its strings */
function constantOf(code: string, text: string): Constant | undefined {
  const [head, name = '', type = ''] =
    /^(?:export )?const ([\w$]+)(?:: ((?:=>|[^=])*))? = ?(?![=>])/.exec(code) ?? []
  if (head === undefined) return undefined
  return { name, type, value: codeWithoutFunctions(code.slice(head.length)).trim(), text }
}

/** Whether a file imports a name from another one. */
function importsName({ path, text }: File, { path: from }: File, name: string): boolean {
  const imports = text.matchAll(/^import (?:type )?\{([^}]*)\} from '(\.[^']*)'/gm)
  return [...imports].some(
    ([, names = '', target = '']) =>
      posix.join(posix.dirname(path), target) === from &&
      new RegExp(`(?<![\\w$])${RegExp.escape(name)}(?![\\w$])`).test(names),
  )
}

/** @param code that of the files that know the constant */
function faultsOf({ name, type, value, text }: Constant, code: readonly string[]): string[] {
  const collection = MADE.exec(value)?.[1]
  if (collection?.startsWith('Weak')) return [`${name} has a ${collection}`]
  if (collection !== undefined && !/\bReadonly(?:Map|Set)\b/.test(`${type} ${value}`))
    return [`${name} has a ${collection} that is not typed as Readonly${collection}`]
  if (INSTANCE.test(value)) return [`${name} is an instance of a class, whose fields can change`]
  const flags = flagsOf(value, text)
  const faults = flags === undefined ? code.flatMap((each) => changesOf(name, each)) : []
  if (flags !== undefined && code.some((each) => isReadOn(name, flags, each)))
    faults.push(`${name} is a regular expression with the flags ${flags}, which remembers where it stopped`)
  return faults
}

/** Static fields that can change. Fields of instances belong to whoever made the instance. */
function staticFields(code: string): string[] {
  const fields = codeWithoutFunctions(code).matchAll(
    /^ +(?:private |protected |public )?static (?!readonly\b|async\b|get\b)#?([\w$]+)\s*(?:[:=;]|$)/gm,
  )
  return [...fields].map(([, name]) => `${name} is a static field that is not readonly`)
}

/** The flags of a regular expression with g or y. */
function flagsOf(value: string, text: string): string | undefined {
  const flags = value.startsWith('new RegExp(')
    ? /,\s*'([a-z]*)',?\s*\)\s*$/.exec(text)?.[1]
    : /^\/_*\/([a-z]*)$/.exec(value)?.[1]
  return flags !== undefined && /[gy]/.test(flags) ? flags : undefined
}

/**
 * Whether a use of a regular expression depends on an earlier one. `replace`, `matchAll`, `match` and `split` of a text
 * begin anew, except that `replace` and `match` read on with the flag y.
 */
function isReadOn(name: string, flags: string, code: string): boolean {
  const own = `(?<![\\w$.])${RegExp.escape(name)}`
  const reads = flags.includes('y') ? `|\\.(?:replace|replaceAll|match)\\(\\s*${own}\\b` : ''
  return new RegExp(`${own}\\.(?:exec|test|lastIndex)\\b${reads}`).test(code)
}

/** What a file does to an object of a module. */
function changesOf(name: string, code: string): string[] {
  // After a colon it is a type.
  const own = `(?<![\\w$.]|: |readonly )${RegExp.escape(name)}`
  // A variable of a function with the same name is another one.
  if (new RegExp(`^\\s.*\\b(?:const|let)\\s+${RegExp.escape(name)}\\b`, 'm').test(code)) return []
  const at = '(?:\\??\\.[\\w$]+|!?\\[[^\\]\\n]+\\])'
  const changes = [
    `${own}${at}+!?\\s*(?:(?:[-+*/%&|^]|\\*\\*|<<|>>|&&|\\|\\||\\?\\?)?=(?![=>])|\\+\\+|--)`,
    `(?:\\+\\+|--)${own}${at}`,
    `\\bdelete ${own}${at}`,
    `${own}${at}*!?\\??\\.(?:${CHANGERS})\\(`,
    `\\bObject\\.(?:assign|defineProperty|defineProperties|setPrototypeOf)\\(\\s*${own}\\b`,
  ]
  return changes.some((change) => new RegExp(change).test(code)) ? [`${name} is changed`] : []
}
