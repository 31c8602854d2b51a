/**
 * Real proxies for tests, on free ports of this machine: tinyproxy for HTTP, microsocks for SOCKS5. Both want a user and
 * password.
 *
 * @module
 */
import { afterAll } from 'bun:test'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { temporaryFolder } from '../support/temporary.ts'
import { until } from './processes.ts'
import { freePort } from './redis.ts'

const isInstalled = (program: string, ...args: string[]): boolean =>
  spawnSync(program, args, { stdio: 'ignore' }).error === undefined

const TINYPROXY = process.env.TINYPROXY_PATH || 'tinyproxy'
const MICROSOCKS = process.env.MICROSOCKS_PATH || 'microsocks'
/** Whether they are installed (Debian's packages `tinyproxy` and `microsocks`); otherwise their tests are skipped. */
export const hasTinyproxy = isInstalled(TINYPROXY, '-v')
export const hasMicrosocks = isInstalled(MICROSOCKS, '-h')

export const PROXY_USER = 'proxy-user-marker'
export const PROXY_PASSWORD = 'proxy-password-marker'

export type TestProxy = {
  readonly port: number
  /** with the user and password */
  readonly url: string
  /** with a wrong password */
  readonly wrongUrl: string
  stop(): Promise<void>
}

/** Starts proxies; call it at the top of a test file. They end with it. */
export function proxyServers() {
  const folder = temporaryFolder()
  const children = new Set<ChildProcess>()
  const stop = async (child: ChildProcess) => {
    children.delete(child)
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  afterAll(async () => void (await Promise.all([...children].map(stop))))
  async function run(
    scheme: string,
    program: string,
    argsFor: (port: number) => string[],
  ): Promise<TestProxy> {
    const port = await freePort()
    const child = spawn(program, argsFor(port), { stdio: 'ignore' })
    children.add(child)
    await until(() => {
      if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}`)
      return accepts(port)
    })
    const urlWith = (password: string) => `${scheme}://${PROXY_USER}:${password}@127.0.0.1:${port}`
    return { port, url: urlWith(PROXY_PASSWORD), wrongUrl: urlWith('wrong-marker'), stop: () => stop(child) }
  }
  return {
    tinyproxy: () =>
      run('http', TINYPROXY, (port) => {
        const file = join(folder, `${port}.conf`)
        const settings = [`Port ${port}`, 'Listen 127.0.0.1', 'Timeout 60', 'LogLevel Critical']
        writeFileSync(file, [...settings, `BasicAuth ${PROXY_USER} ${PROXY_PASSWORD}`, ''].join('\n'))
        return ['-d', '-c', file]
      }),
    microsocks: () =>
      run('socks5', MICROSOCKS, (port) => [
        '-i',
        '127.0.0.1',
        '-p',
        `${port}`,
        '-u',
        PROXY_USER,
        '-P',
        PROXY_PASSWORD,
      ]),
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((go) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      go(true)
    })
    socket.on('error', () => go(false))
  })
}
