/**
 * Text of programs without what is not code, for tests of this folder that look for patterns. Lengths stay, so positions
 * are those of the text.
 *
 * @module
 */

/** Comments, and contents of strings, template literals and regular expressions, replaced by `_` or spaces. */
export function spacedOut(text: string): string {
  let code = ''
  for (let at = 0; at < text.length; ) {
    const end = endOfToken(text, at, code)
    const token = text.slice(at, end)
    code += blankOf(token)
    at = end
  }
  return code
}

const REGEX = /\/(?![/*])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y
const PLAIN = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/y

/** Where the comment, string, template or regular expression at a position ends; the next position for other code. */
function endOfToken(text: string, at: number, before: string): number {
  if (text[at] === '`') return endOfTemplate(text, at)
  PLAIN.lastIndex = at
  const plain = PLAIN.exec(text)
  if (plain) return at + plain[0].length
  if (
    text[at] === '/' &&
    /(?:^|[(,=:[!&|?{};+*%<>~^\-\n]|\b(?:return|typeof|case|in|of|yield|await))\s*$/.test(before.slice(-40))
  ) {
    REGEX.lastIndex = at
    const regex = REGEX.exec(text)
    if (regex) return at + regex[0].length
  }
  return at + 1
}

function endOfTemplate(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '`') {
    if (text[at] === '\\') at += 2
    else if (text.startsWith('${', at)) at = endOfBlock(text, at + 1)
    else at++
  }
  return at + 1
}

/** Where the block ends that a brace opens, in text with strings. */
function endOfBlock(text: string, open: number): number {
  let depth = 0
  for (let at = open; at < text.length; ) {
    if (text[at] === '{') depth++
    if (text[at] === '}' && --depth === 0) return at + 1
    at = endOfToken(text, at, text.slice(Math.max(0, at - 40), at))
  }
  return text.length
}

function blankOf(token: string): string {
  if (token.length < 2) return token
  const filled = (fill: string, part: string) => part.replace(/[^\n]/g, fill)
  if (/^\/[/*]/.test(token)) return filled(' ', token)
  const end = token.startsWith('/') ? token.lastIndexOf('/') : token.length - 1
  return token[0] + filled('_', token.slice(1, end)) + token.slice(end)
}

/** Code of {@link spacedOut} without the bodies of its functions: what remains happens when the module is loaded. */
export function codeWithoutFunctions(code: string): string {
  let left = ''
  for (let at = 0; at < code.length; ) {
    const end = endOfBody(code, at, left)
    left += end > at ? code.slice(at, end).replace(/[^\n]/g, ' ') : code[at]
    at = Math.max(end, at + 1)
  }
  return left
}

/** Where the body of a function ends that begins at a position; the position itself if none does. */
function endOfBody(code: string, at: number, before: string): number {
  if (code[at] === '{')
    return /(?:=>|\)(?:\s*:[^{}();=]*)?)\s*$/.test(before.slice(-400)) ? endOfNested(code, at, '') : at
  const isBody = /=>\s*$/.test(before.slice(-40)) && /\S/.test(code[at] ?? '')
  return isBody ? endOfNested(code, at, ',') : at
}

/** Where nested brackets end: after the closing one, or before one that closes more, or before `stop`. */
function endOfNested(code: string, start: number, stop: string): number {
  let depth = 0
  for (let at = start; at < code.length; at++) {
    const char = code[at]!
    if ('([{'.includes(char)) depth++
    else if (')]}'.includes(char)) {
      if (depth === 0) return at
      if (--depth === 0 && stop === '') return at + 1
    } else if (depth === 0 && char === stop) return at
  }
  return code.length
}
