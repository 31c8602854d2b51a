/**
 * Evaluates what is entered at the prompt: expressions and statements with `await`, whose names last.
 *
 * @module
 */

type Scope = Record<string, unknown>
type Compiled = (scope: Scope) => Promise<unknown>

const AsyncFunction = (async () => {}).constructor as new (name: string, body: string) => Compiled

/** A declaration at the beginning: its names shall outlive the entry. */
const VARIABLES = /^\s*(?:const|let|var)\s+(?=[\w$[{])/
const NAMED = /^\s*(?=(?:async\s+)?function\b\s*\*?\s*([\w$]+)|class\s+([\w$]+))/

/** Whether more lines belong to what was entered: it is not valid, and brackets or a text are open, or an operand is missing. */
export const isIncomplete = (code: string): boolean =>
  compiled(code) instanceof SyntaxError && (isOpen(code) || LACKS_OPERAND.test(code))

/**
 * Evaluates code.
 *
 * @param scope the names that it can use; those that it declares or assigns are added
 * @returns the value of an expression or of the first declaration; undefined for statements
 * @throws {SyntaxError} for invalid code
 * @throws whatever the code throws
 */
export async function evaluate(code: string, scope: Scope): Promise<unknown> {
  const run = compiled(code)
  // The runtime would name a bracket that the person did not enter.
  if (run instanceof SyntaxError)
    throw isIncomplete(code) ? new SyntaxError('the entry is not complete') : run
  return await run(lasting(scope))
}

function compiled(code: string): Compiled | SyntaxError {
  const assigned = code.replace(VARIABLES, '').replace(NAMED, (_, one, other) => `${one ?? other} = `)
  const trimmed = assigned.replace(/[;\s]+$/, '')
  const isDeclared = assigned !== code
  // Brackets make an object of braces, and an assignment of a destructured declaration.
  const attempts = [`return (${trimmed}\n)`, isDeclared ? assigned : code]
  let fault: SyntaxError | undefined
  for (const body of attempts) {
    try {
      return new AsyncFunction('scope', `with (scope) { ${body}\n}`)
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      fault = error
    }
  }
  return fault as SyntaxError
}

/** A scope to which unknown names are added when they are assigned. */
const lasting = (scope: Scope): Scope =>
  new Proxy(scope, {
    has: (target, name) => typeof name === 'string' && (name in target || !(name in globalThis)),
    get(target, name) {
      if (typeof name === 'symbol') return undefined
      if (!(name in target)) throw new ReferenceError(`${name} is not defined`)
      return target[name]
    },
    set(target, name, value) {
      Object.defineProperty(target, name, { value, writable: true, configurable: true, enumerable: true })
      return true
    },
  })

const LACKS_OPERAND =
  /(?:[-+*/%&|^<>=!~?:,.]|\b(?:await|delete|extends|in|instanceof|new|of|throw|typeof|void|yield))\s*$/

const CLOSING: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }

/** Whether a bracket or a template is open, outside of texts and comments. */
function isOpen(code: string): boolean {
  const open: string[] = []
  const tokens =
    /\/\/.*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|[([{)\]}`]/g
  for (const [token] of code.matchAll(tokens)) {
    if (token.length > 1) continue
    if (CLOSING[token] === undefined) open.push(token)
    else if (open.at(-1) === CLOSING[token]) open.pop()
  }
  return open.length > 0
}
