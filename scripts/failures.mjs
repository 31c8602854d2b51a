/**
 * What Bun says of failed tests, which by the end of all is far up in its output.
 *
 * @module
 */

export const COLOURS = /\x1b\[[0-9;]*m/g

/** Of what was said before a failed test, in lines. */
const MOST_LINES = 60
const FILE = /^\S+\.test\.ts:$/
const OTHERS = /^\((?:pass|skip|todo)\) /
/** From here on Bun names them once more, without their errors. */
const AGAIN = /^\d+ tests failed:$/

/** Right behind the name of a failed test. */
const TIMED_OUT = /^ +\^ this test timed out after /

/** Of one run of Bun. */
export class Failures {
  /** each with its file, what was said of it, and whether it ran out of its time */
  all = []
  #file = ''
  #said = []
  /** the one that the line before has named */
  #failed
  #rest = ''
  #isOver = false

  /** @param text of Bun's output, as it comes */
  read(text) {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop()
    for (const line of lines) this.#line(line)
  }

  #line(line) {
    const plain = line.replace(COLOURS, '')
    this.#isOver ||= AGAIN.test(plain)
    if (this.#isOver) return
    const failed = this.#failed
    this.#failed = undefined
    if (plain.startsWith('(fail) ')) {
      const file = this.#file.replace(COLOURS, '').slice(0, -1)
      this.#failed = { file, text: [this.#file, ...this.#said, line].join('\n'), timedOut: false }
      this.all.push(this.#failed)
      this.#said = []
    } else if (failed && TIMED_OUT.test(plain)) {
      failed.text += `\n${line}`
      failed.timedOut = true
    } else if (FILE.test(plain)) {
      this.#file = line
      this.#said = []
    } else if (OTHERS.test(plain)) this.#said = []
    else if (plain !== '' || this.#said.length > 0) this.#said = [...this.#said, line].slice(-MOST_LINES)
  }
}
