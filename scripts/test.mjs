/**
 * `npm test`: installs missing dependencies and runs all tests. Arguments are passed to `bun test`: paths select files,
 * options are passed through. Failures are printed again at the end, and the last line is a summary: `N passed, N
 * failed, N skipped`.
 *
 * Timeouts exist for tests that hang, but a busy machine can reach them too. A file whose first failure is a timeout is
 * therefore run again alone, if there are at most three such files. If it passes, it counts as passed, and a line says
 * so. No other failures are retried.
 *
 * @module
 */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { StringDecoder } from 'node:string_decoder'
import { ensureComponents } from './components.mjs'
import { COLOURS, Failures } from './failures.mjs'
import { ensureDependencies, main, ROOT, say } from './setup.mjs'

/**
 * Tests that start whole servers and browsers and mostly wait: until nodes detect a failure, for pages, for the pace of
 * a source. They run after the others.
 */
const SLOW = [
  'rigs/docs',
  'rigs/live',
  'rigs/machines/crash',
  'rigs/machines/deno',
  'rigs/machines/nodes',
  'rigs/machines/pace',
  'rigs/machines/runtime',
  'rigs/machines/start',
  'test/browser',
  'test/clients',
  'test/signin/browser',
  'test/sources',
]
/**
 * Milliseconds by file, for the order alone: the longest starts first, so that none runs alone at the end. Files without
 * an entry start early. `npm test -- --update-timings` measures them again.
 */
const TIMES = '--timings=scripts/test-times.json'
/** Tests with recordings that are not part of the project: `npm run test:recorded`. */
const APART = ['rigs/recorded']
/** If more files than this timed out, the cause is not in single files, and none is run again. */
const MOST_REPEATED = 3

/** The timeout is long enough for a busy machine: no test depends on speed. */
const ALWAYS = ['--pass-with-no-tests', '--timeout=60000']

await main(async (args) => {
  const bun = ensureDependencies({ dev: true })
  const { env, missing } = ensureComponents()
  for (const { name, how } of missing) say(`${name} is missing, tests that need it are skipped: ${how}`)
  if (process.env.CI && missing.some(({ installable }) => installable)) {
    say('on CI a component that could be installed must not be missing')
    return 1
  }
  if (process.env.EVENTSTORE_URL && !isThrowAway(bun)) return 1
  const sum = { passed: 0, failed: 0, skipped: 0 }
  const failures = []
  const environment = { ...process.env, ...env }
  const phases = phasesOf(args)
  for (const phase of phases) {
    const { counts, failed } = await run(bun, phase, environment)
    add(sum, counts)
    failures.push(...failed)
  }
  if (phases.length > 1) await repeatTimedOut(bun, args, environment, failures, sum)
  for (const { text } of failures) process.stderr.write(`\n${text}\n`)
  if (sum.passed + sum.failed === 0) say('no test ran')
  process.stdout.write(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped\n`)
  return sum.failed === 0 && sum.passed > 0 ? 0 : 1
})

/** Whether the EventStoreDB at EVENTSTORE_URL is empty. Otherwise the program has said what to do. */
function isThrowAway(bun) {
  const check = join(ROOT, 'rigs', 'servers', 'eventstore', 'must-be-empty.ts')
  return spawnSync(bun, [check], { cwd: ROOT, stdio: 'inherit' }).status === 0
}

/** Runs files whose first failure was a timeout again, one by one. Files that pass no longer count as failed. */
async function repeatTimedOut(bun, args, env, failures, sum) {
  const of = (file) => failures.filter((each) => each.file === file)
  const late = [...new Set(failures.map(({ file }) => file))].filter((file) => of(file)[0].timedOut)
  if (late.length > MOST_REPEATED) return
  for (const file of late) {
    say(`${file} timed out: running it again alone`)
    const { counts } = await run(bun, [...ALWAYS, ...args, `./${file}`], env)
    if (counts.failed > 0) continue
    sum.passed += of(file).length
    sum.failed -= of(file).length
    say(`flaky: ${file} timed out in the full run and passed alone`)
  }
}

/** Files that are named run in one phase. Otherwise the light tests run first, then the slow ones. */
function phasesOf(args) {
  // An option's value looks like a file. Of the usual options, only -t takes its value as a separate argument.
  const named = args.some((arg, i) => !arg.startsWith('-') && args[i - 1] !== '-t')
  const always = [...ALWAYS, ...args]
  if (named) return [always]
  const there = (paths) => paths.filter((path) => existsSync(join(ROOT, path)))
  const slow = there(SLOW)
  const others = [...slow, ...APART].map((path) => `--path-ignore-patterns=${path}/**`)
  const phase = (most, paths) => [`--parallel=${most}`, TIMES, ...always, ...paths.map((path) => `./${path}`)]
  const light = [...others, ...phase(6, ['test', 'rigs', 'plugins'])]
  // Without a path Bun would run all tests, so phases without paths are dropped.
  return slow.length > 0 ? [light, phase(4, slow)] : [light]
}

/**
 * Runs `bun test` once and prints its output as it arrives.
 *
 * @returns the counts of the summary and the output of each failed test. A run that failed without a failed test, or
 *   was cut off, counts as one failure
 */
async function run(bun, args, env) {
  const colour = process.stderr.isTTY ? { FORCE_COLOR: '1' } : {}
  const child = spawn(bun, ['test', ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'pipe'],
    env: { ...env, ...colour },
  })
  let end = ''
  const failures = new Failures()
  const decoder = new StringDecoder('utf8')
  child.stderr.on('data', (chunk) => {
    process.stderr.write(chunk)
    const text = decoder.write(chunk)
    failures.read(text)
    end = (end + text).slice(-10_000)
  })
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (status) => resolve(status ?? 1))
  })
  const counts = summaryOf(end)
  // A test that calls process.exit ends Bun with code 0 and without a summary.
  const finished = counts.summed || /did not match any test files|matched 0 tests/.test(end)
  if ((code !== 0 || !finished) && counts.failed === 0) counts.failed = 1
  return { counts, failed: failures.all }
}

/** The counts of Bun's summary: the block of lines just above its last line, `Ran N tests across N files.` */
function summaryOf(output) {
  const lines = output.replace(COLOURS, '').split('\n')
  const counts = { passed: 0, failed: 0, skipped: 0 }
  const last = lines.findLastIndex((line) => /^Ran \d+ tests? across \d+ files?\./.test(line))
  for (let i = last - 1; i >= 0; i--) {
    const [, count, kind] = /^ *(\d+) (.+)$/.exec(lines[i]) ?? []
    if (!kind) break
    if (kind === 'pass') counts.passed += Number(count)
    if (kind === 'fail') counts.failed += Number(count)
    if (kind === 'skip' || kind === 'todo') counts.skipped += Number(count)
  }
  return { ...counts, summed: last >= 0 }
}

function add(sum, counts) {
  for (const key of Object.keys(sum)) sum[key] += counts[key]
}
