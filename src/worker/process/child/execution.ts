/**
 * One run of a task, in the child process: loads the plugin, validates each item that it yields, and returns how the
 * task ended.
 *
 * @module
 */
import { clock } from '../../../async/clock.ts'
import { delay, nextTurn } from '../../../async/delay.ts'
import { BrowserFailed } from '../../../browser/failure.ts'
import type { CatalogueTask } from '../../../catalogue/catalogue.ts'
import { issuesOf, isValid } from '../../../catalogue/check.ts'
import { fieldsOf } from '../../../catalogue/fields.ts'
import type { Filling } from '../../../catalogue/filling.ts'
import { withDefaults } from '../../../catalogue/input.ts'
import { completeRest, isRest } from '../../../catalogue/result.ts'
import { columnsOf } from '../../../catalogue/schema.ts'
import { exitFailureOf } from '../../../net/transport/transport.ts'
import { Blocked, LoginNeeded, SourceError, TryAgain } from '../../../plugin/errors.ts'
import { blockPage } from '../../../plugin/reading/block-page.ts'
import { jsonIn } from '../../../plugin/reading/json.ts'
import type { Context, Source } from '../../../plugin.ts'
import { reasonOf } from '../../../process/reason.ts'
import type { TaskEnd } from '../from-child.ts'
import { type Job, MAX_RESULT_CHARS } from '../protocol.ts'
import type { Outbox } from './items.ts'

/** Replaces the global `fetch`, so that no plugin uses it by mistake. */
export const NO_FETCH = Object.assign(
  () => Promise.reject(new TypeError('a plugin must make its requests with context.fetch')),
  { preconnect() {} },
) as typeof fetch

/** A plugin's task, with its source, its columns and the fields that are counted. */
export type Loaded = Pick<CatalogueTask, 'source' | 'declaration' | 'columns' | 'fields'>

/** The tasks that this process has loaded, by task key. */
const tasks = new Map<string, Loaded>()

/** Loads a plugin, once per process. @throws any error that the plugin throws while it loads */
export async function loadTask({ module, taskKey }: Job): Promise<Loaded> {
  const known = tasks.get(taskKey)
  if (known) return known
  const { default: source } = (await import(module)) as { readonly default: Source }
  const task = source.tasks.find(({ key }) => key === taskKey)
  if (!task) throw new Error(`${module} has no task ${taskKey}`)
  const loaded = { source, declaration: task, columns: columnsOf(task.item), fields: fieldsOf(task) }
  tasks.set(taskKey, loaded)
  return loaded
}

/** The receiver of items. */
export type Sink = Pick<Outbox, 'add' | 'take'>

export type Execution = {
  readonly job: Job
  readonly loaded: Loaded
  readonly context: Context
  readonly items: Sink
  readonly filling: Filling
  /** called when the task starts again: the items so far no longer count */
  readonly again: (reason: string) => void
}

const TRIES = 3
const TRY_AGAIN_MS = 1000
const LOGIN_CHECK_S = 10
/** How long a plugin that never awaits may starve timers and messages, before the event loop gets a turn. */
const TURN_MS = 50

/** Runs the task to its end. Never throws: every error of the plugin becomes an end. */
export async function execute(execution: Execution): Promise<TaskEnd> {
  const { context, items, filling, job } = execution
  for (let attempt = 1; ; attempt++) {
    try {
      if (attempt === 1 && job.login?.check) {
        const { isRefused, words } = await checkLogin(execution)
        if (isRefused) return endOf(new LoginNeeded(words))
      }
      return await collect(execution)
    } catch (error) {
      if (context.signal.aborted) return { status: 'stopped' }
      if (!(error instanceof TryAgain) || attempt === TRIES) return judged(execution, error)
      items.take()
      filling.clear()
      execution.again(error.message)
      await delay(attempt * TRY_AGAIN_MS, context.signal)
    }
  }
}

/**
 * The end that follows from a task's error. The refusal of one page does not prove that the source refuses the login: if
 * the source's check confirms it, or proves nothing, the source has blocked this run. The login is given up otherwise.
 */
async function judged(execution: Execution, error: unknown): Promise<TaskEnd> {
  const { job, loaded, context } = execution
  const isRefusal = error instanceof SourceError && error.code === 'source-login-required'
  if (!isRefusal || !job.login || !loaded.source.login?.check) return endOf(error)
  try {
    const { isRefused, words } = await checkLogin(execution)
    return endOf(isRefused ? error : new Blocked([error.message, words].filter(Boolean).join('; ')))
  } catch (failure) {
    return context.signal.aborted ? { status: 'stopped' } : endOf(failure)
  }
}

/** Makes the source's request that checks a login. The source declares one. Never throws a {@link SourceError}. */
async function checkLogin({
  loaded: { source },
  context,
}: Execution): Promise<{ readonly isRefused: boolean; readonly words: string }> {
  const { url = '/', names, headers = {}, as } = source.login?.check ?? {}
  const address = url.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(context.cookie(name) ?? ''))
  try {
    const reply = await context.fetch(address, {
      accept: [401, 403],
      tries: 1,
      timeoutS: LOGIN_CHECK_S,
      headers,
      ...(as === undefined ? {} : { as }),
    })
    const body = await reply.text()
    // A block page is about the address that asks, not about the login.
    const page = reply.status >= 400 ? blockPage(body) : undefined
    if (page) return { isRefused: false, words: `the login could not be checked: ${page.message}` }
    if (reply.status >= 400)
      return { isRefused: true, words: `the source answers ${reply.status} to the login` }
    if (!names) return { isRefused: false, words: 'the login still works' }
    const json = jsonIn(body)
    if (json === undefined) return { isRefused: false, words: 'the login could not be checked' }
    return names(json)
      ? { isRefused: false, words: 'the login still works' }
      : { isRefused: true, words: 'the source no longer knows the login' }
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    const isRefused = error.code === 'source-login-required'
    return { isRefused, words: isRefused ? error.message : 'the login could not be checked' }
  }
}

const TOO_LARGE: TaskEnd = {
  status: 'failed',
  code: 'response-too-large',
  detail: 'the result is too large',
}

async function collect(execution: Execution): Promise<TaskEnd> {
  const { job, loaded, context, items, filling } = execution
  const { declaration: task } = loaded
  const { signal } = context
  const input = withDefaults(task.input, JSON.parse(job.input))
  const generator = task.run(context, input as never)
  let chars = 0
  let turned = clock.monotonic()
  for (;;) {
    const { done, value } = await generator.next()
    if (signal.aborted) {
      // Lets the plugin clean up; its items so far count.
      await generator.return(undefined)
      return { status: 'stopped' }
    }
    if (done) return complete(execution, value)
    if (!isValid(task.item, value)) return invalid(issuesOf(task.item, value))
    const text = JSON.stringify(value)
    chars += text.length + 1
    if (chars > MAX_RESULT_CHARS) return TOO_LARGE
    filling.add(value as Readonly<Record<string, unknown>>)
    const full = items.add(text)
    if (full) await full
    if (clock.monotonic() - turned > TURN_MS) {
      await nextTurn()
      turned = clock.monotonic()
    }
  }
}

function complete({ loaded, filling }: Execution, returned: unknown): TaskEnd {
  const { declaration: task, columns } = loaded
  const rest = completeRest(returned as Readonly<Record<string, unknown>> | undefined)
  if (!isRest(task, rest)) return { status: 'errored', code: 'output-invalid', reason: 'the returned value' }
  if (columns.length === 0) filling.add(rest)
  const text = JSON.stringify(rest)
  return text.length > MAX_RESULT_CHARS ? TOO_LARGE : { status: 'succeeded', rest: text }
}

function invalid(issues: ReturnType<typeof issuesOf>): TaskEnd {
  const details = issues.slice(0, 5).map(({ pointer, detail }) => `${pointer} ${detail}`)
  return { status: 'errored', code: 'output-invalid', reason: `an item: ${details.join('; ')}` }
}

/** The end that follows from an error thrown by the task. */
export function endOf(error: unknown): TaskEnd {
  if (error instanceof BrowserFailed)
    return { status: 'errored', code: 'defect', reason: `the browser failed: ${error.message}` }
  if (error instanceof SourceError) {
    const exitFailure = exitFailureOf(error)
    return { status: 'failed', code: error.code, detail: error.message, ...(exitFailure && { exitFailure }) }
  }
  const code = isOutOfMemory(error) ? 'out-of-memory' : 'defect'
  return { status: 'errored', code, reason: reasonOf(error) }
}

export const isOutOfMemory = (error: unknown): boolean =>
  error instanceof RangeError &&
  /out of memory|allocation failed|invalid (string|array) length/i.test(error.message)
