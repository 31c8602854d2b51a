/**
 * Collects Bun's output about failed tests, so that it can be repeated at the end of a long run.
 *
 * @module
 */

export const COLOURS = /\x1b\[[0-9;]*m/g

/** How many lines before a failed test are kept. */
const MOST_LINES = 60
const FILE = /^\S+\.test\.ts:$/
const OTHERS = /^\((?:pass|skip|todo)\) /
/** From this line on, Bun lists the failed tests again, without their errors. */
const AGAIN = /^\d+ tests failed:$/

/** Follows the name of a failed test. */
const TIMED_OUT = /^ +\^ this test timed out after /

/** The failures of one run of Bun. */
export class Failures {
  /** each failed test with its file, its output, and whether it timed out */
  all = []
  #file = ''
  #said = []
  /** the failed test that the previous line named */
  #failed
  #rest = ''
  #isOver = false

  /** Takes the next chunk of Bun's output. */
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
