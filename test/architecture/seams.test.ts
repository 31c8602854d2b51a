import { expect, test } from 'bun:test'
import { codeOf, sourcesIn } from './sources.ts'

/** The seams themselves, and code that runs elsewhere: the kit in a run's process, the checkpoint thread. */
const APART = [
  'src/async/clock.ts',
  'src/async/timers.ts',
  'src/random.ts',
  'src/sqlite/checkpoint-thread.ts',
  'src/plugin/',
]
const TIMERS = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate']
const ASKING = [
  /\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b/,
  /\bAbortSignal\.timeout\b/,
  /\bMath\.random\b|\bgetRandomValues\b/,
  ...TIMERS.map((name) => new RegExp(`\\bglobalThis\\.${name}\\b`)),
]
const files = sourcesIn('src', 'projections').filter(
  ({ path }) => !APART.some((part) => path.startsWith(part)),
)

/** The uses of time and randomness in a file that bypass the seams. */
function pastSeams(text: string): string[] {
  const code = codeOf(text)
  const calls = ASKING.flatMap((pattern) => pattern.exec(code)?.[0] ?? [])
  for (const name of TIMERS) {
    const isImported = new RegExp(
      `import \\{[^}]*\\b${name}\\b[^}]*\\} from '[^']*async/timers\\.ts'|import \\{[^}]*\\b${name}\\b[^}]*\\} from './timers\\.ts'`,
    ).test(text)
    if (new RegExp(`(?<![\\w.$])${name}\\(`).test(code.replace(/`(?:[^`\\]|\\.)*`/g, '')) && !isImported)
      calls.push(name)
  }
  if (/from '(?:node:)?timers(?:\/promises)?'/.test(text)) calls.push('node:timers')
  if (/import \{[^}]*\b(?:random\w+|webcrypto)\b[^}]*\} from '(?:node:)?crypto'/.test(text))
    calls.push('node:crypto')
  return calls
}

test('time, timers and randomness are used only through their seams', () => {
  expect(files.length).toBeGreaterThan(300)
  const wrong = files.map(({ path, text }) => `${path}: ${pastSeams(text).join(', ')}`)
  expect(wrong.filter((line) => !line.endsWith(': '))).toEqual([])
})

test('code that bypasses a seam would be found', () => {
  const wrong = [
    'const a = Date.now()',
    'const a = new Date()',
    'setTimeout(go, 5)',
    "import { setTimeout } from 'node:timers'",
    "import { randomUUID } from 'node:crypto'",
    'const a = Math.random()',
    'const a = AbortSignal.timeout(5)',
  ]
  expect(wrong.filter((text) => pastSeams(text).length === 0)).toEqual([])
  const right = [
    "import { setTimeout } from '../async/timers.ts'\nsetTimeout(go, 5)",
    'socket.setTimeout(5)',
    '// Date.now() is not asked\nconst a = clock.now()',
  ]
  expect(right.flatMap(pastSeams)).toEqual([])
})
