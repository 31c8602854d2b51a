import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../../servers/server.ts'

/** A temporary project: the real scripts and dependencies, and tests written here. */
let project: string
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'gleaner-scripts-'))
  for (const name of ['scripts', 'package.json', 'package-lock.json']) {
    cpSync(join(ROOT, name), join(project, name), { recursive: true })
  }
  symlinkSync(join(ROOT, 'node_modules'), join(project, 'node_modules'))
  mkdirSync(join(project, 'test'))
  mkdirSync(join(project, 'plugins'))
})
afterEach(() => rmSync(project, { recursive: true, force: true }))

const write = (path: string, code: string) => {
  mkdirSync(join(project, path, '..'), { recursive: true })
  writeFileSync(join(project, path), `import { expect, test } from 'bun:test'\n${code}`)
}

function run(script: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync('node', [join('scripts', script), ...args], {
    cwd: project,
    encoding: 'utf8',
  })
  return { status, stdout, stderr, last: stdout.trimEnd().split('\n').at(-1) }
}

describe('npm test', () => {
  test('runs the tests of test/ and plugins/ and the heavy ones, and prints the totals on its last line', () => {
    write('test/a.test.ts', "test('one', () => {})\ntest.skip('two', () => {})\ntest.todo('three')")
    write('plugins/x/b.test.ts', "test('one', () => {})")
    write('rigs/machines/crash/c.test.ts', "test('one', () => {})")
    expect(run('test.mjs')).toMatchObject({ status: 0, last: '3 passed, 0 failed, 2 skipped' })
  })

  test('fails when a test fails', () => {
    write('test/a.test.ts', "test('one', () => {})\ntest('two', () => expect(1).toBe(2))")
    expect(run('test.mjs')).toMatchObject({ status: 1, last: '1 passed, 1 failed, 0 skipped' })
  })

  test('repeats the reasons of failed tests at its end', () => {
    const bad = "test('bad', () => expect({ lamps: 1 }).toEqual({ lamps: 2 }))"
    write('test/a.test.ts', `test('good', () => {})\n${bad}`)
    write(
      'rigs/machines/crash/b.test.ts',
      "test('late', () => new Promise(() => {}), 50)\ntest('good', () => {})",
    )
    const { stderr } = run('test.mjs')
    const end = stderr.slice(stderr.lastIndexOf('Ran '))
    expect(end).toContain('test/a.test.ts:\n')
    expect(end).toContain('-   "lamps": 2,\n+   "lamps": 1,')
    expect(end).toContain('rigs/machines/crash/b.test.ts:\n')
    expect(end.match(/^\(fail\) (?:bad|late) /gm)).toHaveLength(2)
    expect(end).not.toContain('good')
  })

  test('reruns a file whose first failure was a timeout, and no other file', () => {
    const first = (name: string) =>
      `const isFirst = !require('node:fs').existsSync('${name}')\nrequire('node:fs').writeFileSync('${name}', '')\n`
    const late = (name: string) =>
      `${first(name)}test('late', () => (isFirst ? new Promise(() => {}) : undefined), 50)`
    write('test/a.test.ts', `${late('a')}\ntest('after it', () => expect(isFirst).toBe(false))`)
    write('rigs/machines/crash/b.test.ts', "test('good', () => {})")
    const { status, stderr, last } = run('test.mjs')
    expect({ status, last }).toEqual({ status: 0, last: '3 passed, 0 failed, 0 skipped' })
    expect(stderr).toContain('flaky: test/a.test.ts timed out')
    write('test/c.test.ts', `${first('c')}test('wrong', () => expect(isFirst).toBe(false))`)
    expect(run('test.mjs')).toMatchObject({ status: 1, last: '3 passed, 1 failed, 0 skipped' })
    const says = "console.error('\\n  ^ this test timed out after 50ms.\\n')"
    write('test/c.test.ts', `${first('d')}test('says so', () => { ${says}; expect(isFirst).toBe(false) })`)
    expect(run('test.mjs')).toMatchObject({ status: 1, last: '3 passed, 1 failed, 0 skipped' })
    write('test/c.test.ts', "test('hangs', () => new Promise(() => {}), 50)")
    expect(run('test.mjs')).toMatchObject({ status: 1, last: '3 passed, 1 failed, 0 skipped' })
  })

  test('fails when a file cannot be loaded', () => {
    write('test/a.test.ts', "test('one', () => {})")
    write('test/b.test.ts', "throw new Error('at load')")
    expect(run('test.mjs')).toMatchObject({ status: 1, last: '1 passed, 1 failed, 0 skipped' })
  })

  for (const folder of ['test/light', 'rigs/machines/crash']) {
    test(`fails when a test of ${folder} ends the process, even with code 0`, () => {
      write('test/other.test.ts', "test('one', () => {})")
      write(`${folder}/a.test.ts`, "test('one', () => {})\ntest('two', () => process.exit(0))")
      const { status, last } = run('test.mjs')
      expect(status).toBe(1)
      expect(last).toMatch(/ [1-9]\d* failed/)
    })
  }

  test('fails when no test ran', () => {
    write('test/a.test.ts', "test('one', () => {})")
    expect(run('test.mjs', '-t', 'no such name')).toMatchObject({
      status: 1,
      last: '0 passed, 0 failed, 0 skipped',
    })
    expect(run('test.mjs', 'no-such-file').status).toBe(1)
  })

  test('passes names and options on, and is not fooled by the output of tests', () => {
    write('test/a.test.ts', "test('one', () => console.error(' 9 fail\\nRan 9 tests across 9 files. [1ms]'))")
    write('test/b.test.ts', "test('two', () => {})\ntest('three', () => {})")
    expect(run('test.mjs')).toMatchObject({ status: 0, last: '3 passed, 0 failed, 0 skipped' })
    expect(run('test.mjs', 'test/b').last).toBe('2 passed, 0 failed, 0 skipped')
    expect(run('test.mjs', '-t', 'three').last).toBe('1 passed, 0 failed, 0 skipped')
  })
})

describe('the dependencies', () => {
  /** Whether the scripts of the project consider its node_modules complete. */
  function complete(dev: boolean): boolean {
    const code = `import { isInstalled } from './scripts/setup.mjs'; console.log(isInstalled({ dev: ${dev} }))`
    const { stdout } = spawnSync('node', ['--input-type=module', '-e', code], {
      cwd: project,
      encoding: 'utf8',
    })
    return stdout.trim() === 'true'
  }
  const installed = (packages: object, lock: object = packages) => {
    rmSync(join(project, 'node_modules'))
    for (const [path, entry] of Object.entries(packages)) {
      mkdirSync(join(project, path), { recursive: true })
      writeFileSync(join(project, path, 'package.json'), JSON.stringify(entry))
    }
    mkdirSync(join(project, 'node_modules'), { recursive: true })
    writeFileSync(join(project, 'node_modules/.package-lock.json'), JSON.stringify({ packages }))
    writeFileSync(join(project, 'package-lock.json'), JSON.stringify({ packages: { '': {}, ...lock } }))
  }

  test('of this checkout are complete', () => {
    expect(complete(true)).toBe(true)
  })

  test('are missing without node_modules', () => {
    rmSync(join(project, 'node_modules'))
    expect(complete(false)).toBe(false)
  })

  test('are stale when the lock file names another version or another package', () => {
    const a = { 'node_modules/a': { version: '1.0.0' } }
    installed(a)
    expect(complete(false)).toBe(true)
    writeFileSync(
      join(project, 'package-lock.json'),
      JSON.stringify({ packages: { '': {}, 'node_modules/a': { version: '1.0.1' } } }),
    )
    expect(complete(false)).toBe(false)
    writeFileSync(
      join(project, 'package-lock.json'),
      JSON.stringify({ packages: { '': {}, ...a, 'node_modules/b': { version: '1.0.0' } } }),
    )
    expect(complete(false)).toBe(false)
  })

  test('may lack optional packages, and for a start those for development', () => {
    const a = { 'node_modules/a': { version: '1.0.0' } }
    installed(a, {
      ...a,
      'node_modules/other-system': { version: '1.0.0', optional: true },
      'node_modules/tool': { version: '1.0.0', dev: true },
    })
    expect(complete(false)).toBe(true)
    expect(complete(true)).toBe(false)
  })

  test('are stale when a folder was deleted by hand', () => {
    installed({ 'node_modules/a': { version: '1.0.0' } })
    rmSync(join(project, 'node_modules/a'), { recursive: true })
    expect(complete(false)).toBe(false)
  })
})

test('.ci/run can be executed', () => {
  const path = join(ROOT, '.ci', 'run')
  expect(existsSync(path)).toBe(true)
  expect(spawnSync('bash', ['-n', path]).status).toBe(0)
  expect(spawnSync('test', ['-x', path]).status).toBe(0)
})
