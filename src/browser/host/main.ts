/**
 * The browser host: a process of the service that has the browser, so that nothing which happens there holds up the
 * service, and no plugin gets hold of more than its own page.
 *
 * @module
 */
import { setInterval } from '../../async/timers.ts'
import { leaveSignalsToService, reasonOf } from '../../process/child-side.ts'
import { Browsers } from '../browsers.ts'
import { chromiumWhenInstalled } from '../chromium/find.ts'
import { SignInError, signInErrorOf } from '../signin/errors.ts'
import type { SignIn } from '../signin/signin.ts'
import type { SignInEvent } from '../signin/types.ts'
import { answerTo, type PageAnswer } from './page-calls.ts'
import { ALIVE_MS, type FromHost, type HostRequest, type SignInRequest, type ToHost } from './protocol.ts'
import { ServedPages } from './served-pages.ts'

let browsers: Browsers | undefined
const runs = new Map<number, ServedPages>()
const signIns = new Map<number, SignIn>()

function send(message: FromHost): void {
  // Without a parent there is nobody to tell, and the disconnect ends this process.
  process.send?.(message)
}

function failed(error: unknown): void {
  send({ type: 'failed', reason: reasonOf(error) })
}

process.on('message', async (message: ToHost) => {
  if (message.type === 'setup') {
    const { chromiumPath, installer, origins, proxyUrl, most } = message
    const executable = (signal: AbortSignal) => chromiumWhenInstalled(chromiumPath, installer, signal)
    browsers = new Browsers({ executable, origins, proxyUrl, most, onFailure: failed })
    send({ type: 'alive' })
  } else if (!browsers) throw new Error('a request before the setup')
  else if (message.type === 'request') {
    const { id, request } = message
    send({ type: 'answer', id, answer: await answerOf(browsers, request) })
  } else {
    await browsers.stop()
    process.exit(0)
  }
})
// The browser ends with its pipe, and removes its files then; an end in order would be cut off halfway.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
leaveSignalsToService()
// What is lost in a page that is gone is nobody's; the service hears of it and goes on.
process.on('unhandledRejection', failed)
setInterval(() => send({ type: 'alive' }), ALIVE_MS)

async function answerOf(browsers: Browsers, request: HostRequest): Promise<PageAnswer> {
  if (request.type === 'page') {
    const { run, page, call, begins } = request
    if (begins && !runs.has(run))
      runs.set(run, new ServedPages(browsers, begins.site, { ...begins, onLost: failed }))
    return runs.get(run)?.answer(page, call) ?? { fault: { message: 'the run is over' } }
  }
  if (request.type === 'end-run') {
    const pages = runs.get(request.run)
    runs.delete(request.run)
    return { value: (await pages?.leave()) ?? [] }
  }
  return answerTo(() =>
    forSignIn(browsers, request).catch((error) => {
      const known = signInErrorOf(error)
      // Who asks is told that something went wrong here; what it was is for the log.
      if (known !== error && known.code === 'defect') failed(error)
      throw known
    }),
  )
}

async function forSignIn(browsers: Browsers, request: SignInRequest): Promise<unknown> {
  const { signIn: number } = request
  if (request.type === 'sign-in') {
    const onEvent = (event: SignInEvent) => send({ type: 'event', signIn: number, event })
    signIns.set(number, await browsers.signIn({ ...request, onEvent }))
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
