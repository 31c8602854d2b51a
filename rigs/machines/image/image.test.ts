/** The container image, run as docs/operations.md says. `npm run test:image` builds the image and runs these tests. */
import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../../servers/processes.ts'
import { client, ROOT } from '../../servers/server.ts'
import { recordsIn } from '../../support/hosted-records.ts'

const { GLEANER_IMAGE: image = '', CONTAINER_ENGINE: engine = 'docker' } = process.env
const PROFILE = ['--security-opt', `seccomp=${join(ROOT, 'seccomp.json')}`]
const STRICT = ['--security-opt', 'no-new-privileges', '--cap-drop', 'ALL', '--read-only', '--tmpfs', '/tmp']

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(engine, args, { encoding: 'utf8', maxBuffer: 1e8 })
  return { status, out: stdout.trim(), err: stderr.trim() }
}
function must(...args: string[]): string {
  const { status, out, err } = run(...args)
  if (status !== 0) throw new Error(`${engine} ${args.join(' ')}: ${err}`)
  return out
}

const KEY = /gln_[0-9A-Za-z]+_[0-9A-Za-z]{6}/
const containers: string[] = []
const volume = `gleaner-test-${randomUUID()}`
/** Starts a container, with a port of this machine. */
function start(options: readonly string[], ...command: string[]): string {
  const always = ['-d', '--stop-timeout', '30', '-p', '127.0.0.1:0:3000']
  const id = must('run', ...always, ...options, image, ...command)
  containers.push(id)
  return id
}
const logsOf = (id: string) => {
  const { out, err } = run('logs', id)
  return out + err
}
/** Waits until the container answers. */
async function addressOf(id: string): Promise<string> {
  const address = `http://${must('port', id, '3000/tcp').split('\n')[0]}`
  await until(async () => {
    if (must('inspect', '-f', '{{.State.Running}}', id) !== 'true') throw new Error(logsOf(id))
    return (await fetch(`${address}/readyz`).catch(() => undefined))?.ok === true
  })
  return address
}
/** Waits until a container has printed a match. A server answers `/readyz` before it prints its key. */
async function printed(id: string, pattern: RegExp): Promise<RegExpExecArray> {
  for (;;) {
    const isRunning = must('inspect', '-f', '{{.State.Running}}', id) === 'true'
    const logs = logsOf(id)
    const match = pattern.exec(logs)
    if (match) return match
    if (!isRunning) throw new Error(`it ended and never printed ${pattern}:\n${logs}`)
    await new Promise((go) => setTimeout(go, 100))
  }
}
/** Stops a container as a supervisor does. @returns its exit code */
function stop(id: string): number {
  must('stop', id)
  return Number(must('inspect', '-f', '{{.State.ExitCode}}', id))
}

afterEach(() => {
  for (const id of containers.splice(0)) run('rm', '-f', '-v', id)
})
afterAll(() => {
  if (image) run('volume', 'rm', '-f', volume)
})

describe.skipIf(image === '')('the image', () => {
  test('starts on a read-only root, prints its key until it is used, stops with code 0 and keeps its data', async () => {
    const options = [...PROFILE, ...STRICT, '-v', `${volume}:/data`]
    const first = start(options)
    const address = await addressOf(first)
    const [key] = await printed(first, KEY)
    const { body: keyRecord } = await client(address, key)('/admin/create-key', {})
    expect(stop(first)).toBe(0)
    const second = start(options)
    const again = await addressOf(second)
    expect(logsOf(second)).not.toContain('gln_')
    expect((await client(again, keyRecord.api_key)('/v1/account')).status).toBe(200)
    expect(stop(second)).toBe(0)
  })

  test('becomes healthy by its own check, and its doctor finds nothing wrong', async () => {
    const id = start([...PROFILE, ...STRICT])
    await addressOf(id)
    await until(() => must('inspect', '-f', '{{.State.Health.Status}}', id) === 'healthy')
    const { status, out } = run('exec', id, 'gleaner', 'doctor')
    expect([status, out]).toEqual([0, expect.stringMatching(/^ok +browser +Chromium .* loads pages/m)])
  })

  test('needs seccomp.json for its browser: without it the doctor reports the missing sandbox', async () => {
    const { status, out } = run('run', '--rm', ...STRICT, image, 'doctor')
    expect([status, out]).toEqual([1, expect.stringMatching(/^fail +browser .*cannot create a sandbox/m)])
  })

  test('backs up its data beside the running server', async () => {
    const id = start([...PROFILE, ...STRICT])
    await addressOf(id)
    expect(must('exec', id, 'gleaner', 'backup', '/tmp/backup')).toContain('log.db')
    expect(must('exec', id, 'ls', '/tmp/backup').split('\n')).toContain('log.db')
  })

  test("isolates extractors from the service's files, and hides the environment of process 1", async () => {
    const secret = 'operator-of-tests-0123456789abcdef'
    const id = start([...PROFILE, ...STRICT, '-e', `OPERATOR_KEY=${secret}`])
    await addressOf(id)
    const code = "console.log((await import('/app/src/process/isolation.ts')).isolationLevel())"
    expect(must('exec', id, '/app/node_modules/bun/bin/bun.exe', '-e', code)).toBe('files')
    expect(run('exec', id, 'cat', '/proc/1/environ')).toMatchObject({ status: 1, out: '' })
  })

  test('holds no package that only the development needs', () => {
    const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    const listed = must('run', '--rm', '--entrypoint', 'ls', image, 'node_modules').split('\n')
    const development = [...Object.keys(devDependencies), '@typescript'].map((name) => name.split('/')[0])
    const used = ['@modelcontextprotocol', '@types', 'fflate']
    expect(listed.filter((name) => development.includes(name) && !used.includes(name))).toEqual([])
  })

  test('names the user who must own a folder that it cannot write', () => {
    const { status, err } = run('run', '--rm', '--tmpfs', '/data:uid=0,mode=755', image)
    expect([status === 0, err]).toEqual([false, expect.stringContaining('chown -R 900')])
  })

  test('has fonts for Latin, Chinese, Japanese, Korean and emoji', () => {
    const page = encodeURIComponent('<meta charset=utf-8><p>Az</p><p>中文</p><p>かな</p><p>한글</p><p>🦦</p>')
    const code = `
      const { launchChromium } = await import('/app/src/browser/chromium/launch.ts')
      const browser = await launchChromium('/usr/bin/chromium')
      const page = await browser.newPage()
      await page.goto('data:text/html,${page}')
      const cdp = await page.context().newCDPSession(page)
      await cdp.send('DOM.enable'); await cdp.send('CSS.enable')
      const { root } = await cdp.send('DOM.getDocument')
      const { nodeIds } = await cdp.send('DOM.querySelectorAll', { nodeId: root.nodeId, selector: 'p' })
      const names = []
      for (const nodeId of nodeIds)
        names.push((await cdp.send('CSS.getPlatformFontsForNode', { nodeId })).fonts.map((font) => font.familyName).join())
      console.log(JSON.stringify(names))
      await browser.close()`
    const bun = '/app/node_modules/bun/bin/bun.exe'
    const [latin, ...others] = JSON.parse(
      must('run', '--rm', ...PROFILE, ...STRICT, '--entrypoint', bun, image, '-e', code),
    )
    expect(latin).toBe('Liberation Serif')
    expect(others).toEqual([...Array(3).fill('WenQuanYi Micro Hei'), 'Noto Color Emoji'])
  })

  test('runs the demo, ten concurrent browser runs and a sign-in within 1 GiB', async () => {
    const id = start([...PROFILE, ...STRICT, '-m', '1g', '--memory-swap', '1g', '-e', 'PORT=3000'], 'demo')
    const address = await addressOf(id)
    const [key = ''] = /gln_[0-9A-Za-z]+_[0-9A-Za-z]{6}/.exec(logsOf(id)) ?? []
    const [, path = '', body = '{}'] =
      /"\$GLEANER_URL(\/v1\/shortvideo\/hashtag)".*-d '(.*)'/.exec(logsOf(id)) ?? []
    const call = client(address, key)
    const runs = await Promise.all(Array.from({ length: 10 }, () => call(path, JSON.parse(body))))
    expect(runs.map(({ body }) => body.run_status)).toEqual(Array(10).fill('succeeded'))
    const memory = must('stats', '--no-stream', '--format', '{{.MemUsage}}', id)
    process.stderr.write(`after ten runs in a browser at once: ${memory}; at most ${peakOf(id)} MiB\n`)
    expect(must('inspect', '-f', '{{.State.OOMKilled}}', id)).toBe('false')

    // The first frame of a sign-in, as the hosted page gets it.
    const { body: signIn } = await call('/v1/logins/microblog', {})
    const link = address + new URL(signIn.hosted_url).pathname
    const began = await fetch(`${link}/start`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ width: 400, height: 600, touch: false, scale: 1 }),
    })
    const cookie = began.headers.get('set-cookie')?.split(';')[0] ?? ''
    const { body: stream } = await fetch(`${link}/stream`, { headers: { cookie } })
    let picture: Buffer | undefined
    for await (const { kind, content } of recordsIn(stream!)) {
      if (kind === 0) continue
      picture = content
      break
    }
    expect(picture?.indexOf(Buffer.from([0xff, 0xd8, 0xff]))).toBeGreaterThan(-1)
    expect(stop(id)).toBe(0)
  })
})

/** The peak memory of a container, in MiB. cgroups of version 2 and 1 report it in different files. */
function peakOf(id: string): number {
  const files = '/sys/fs/cgroup/memory.peak /sys/fs/cgroup/memory/memory.max_usage_in_bytes'
  const said = run('exec', id, 'sh', '-c', `cat ${files} 2>/dev/null`).out.split('\n')[0]
  return Math.round(Number(said) / 1024 ** 2)
}
