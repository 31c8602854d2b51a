/**
 * The browser host: the process that owns the browser. The browser's work can't block the service, and a plugin can
 * access only its own page.
 *
 * @module
 */
import { setInterval } from '../../async/timers.ts'
import { reasonOf } from '../../process/reason.ts'
import { leaveSignalsToService } from '../../process/signals.ts'
import { SignInError, signInErrorOf } from '../../signin/browser/errors.ts'
import type { SignInPage } from '../../signin/browser/page.ts'
import type { SignInListener } from '../../signin/browser/types.ts'
import { chromiumWhenInstalled } from '../chromium/find.ts'
import { Browsers } from './browsers.ts'
import { answerTo, type PageAnswer } from './page-calls.ts'
import { ALIVE_MS, type FromHost, type HostRequest, type SignInRequest, type ToHost } from './protocol.ts'
import { ServedPages } from './served-pages.ts'

let browsers: Browsers | undefined
const runs = new Map<number, ServedPages>()
const signIns = new Map<number, SignInPage>()

function send(message: FromHost): void {
  // Without a parent there is no receiver, and the disconnect ends this process.
  process.send?.(message)
}

function failed(error: unknown): void {
  send({ type: 'failed', reason: reasonOf(error) })
}

process.on('message', async (message: ToHost) => {
  if (message.type === 'setup') {
    const { chromiumPath, installer, origins, most } = message
    const executable = (signal: AbortSignal) => chromiumWhenInstalled(chromiumPath, installer, signal)
    browsers = new Browsers({ executable, origins, most, onFailure: failed })
    send({ type: 'alive' })
  } else if (!browsers) throw new Error('received a request before the setup')
  else if (message.type === 'request') {
    const { id, request } = message
    send({ type: 'answer', id, answer: await answerOf(browsers, request) })
  } else {
    await browsers.stop()
    process.exit(0)
  }
})
// The browser exits when its pipe closes, and its wrapper then removes its files. A graceful stop could be cut short.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
leaveSignalsToService()
// Rejections left behind by a closed page are reported to the service's log, and this process continues.
process.on('unhandledRejection', failed)
setInterval(() => send({ type: 'alive' }), ALIVE_MS)

async function answerOf(browsers: Browsers, request: HostRequest): Promise<PageAnswer> {
  if (request.type === 'page') {
    const { run, page, call, begins } = request
    if (begins && !runs.has(run))
      runs.set(run, new ServedPages(browsers, begins.site, { ...begins, onLost: failed }))
    return runs.get(run)?.answer(page, call) ?? { fault: { message: 'the run has ended' } }
  }
  if (request.type === 'end-run') {
    const pages = runs.get(request.run)
    runs.delete(request.run)
    return pages ? { value: await pages.leave() } : { fault: { message: 'the run opened no page' } }
  }
  return answerTo(() =>
    forSignIn(browsers, request).catch((error) => {
      const known = signInErrorOf(error)
      // The caller learns only that something went wrong; the cause goes to the log.
      if (known !== error && known.code === 'defect') failed(error)
      throw known
    }),
  )
}

async function forSignIn(browsers: Browsers, request: SignInRequest): Promise<unknown> {
  const { signIn: number } = request
  if (request.type === 'sign-in') {
    const listener: SignInListener = {
      onEvent: (event) => send({ type: 'event', signIn: number, event }),
      onExitFailed: (failure) => send({ type: 'exit-failed', signIn: number, failure }),
      onUsed: (usage) => send({ type: 'used', signIn: number, usage }),
    }
    signIns.set(number, await browsers.signIn({ ...request, ...listener }))
    return null
  }
  const signIn = signIns.get(number)
  if (!signIn) throw new SignInError('closed')
  if (request.type === 'input') return signIn.send(request.input)
  if (request.type === 'frame') return signIn.frame(request.fresh)
  if (request.type === 'end-sign-in') return signIn.close()
  return signIn.outcome.finally(async () => {
    await signIn.closed
    signIns.delete(number)
  })
}
