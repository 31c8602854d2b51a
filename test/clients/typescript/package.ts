/**
 * The TypeScript client in a user's project.
 *
 * @module
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../../rigs/servers/server.ts'

export type Project = {
  readonly path: string
  /** the path of the installed package */
  readonly client: string
}

/** Creates a project in a folder, with the client installed from its tarball. */
export function makeProject(path: string): Project & { readonly tarball: string } {
  mkdirSync(path, { recursive: true })
  const npm = (...args: string[]) =>
    execFileSync('npm', [...args, '--offline', '--no-audit', '--no-fund'], {
      cwd: path,
      encoding: 'utf8',
      stdio: 'pipe',
    })
  const [packed] = JSON.parse(npm('pack', '--json', join(ROOT, 'clients', 'typescript'))) as {
    filename: string
  }[]
  const tarball = join(path, packed?.filename ?? '')
  writeFileSync(join(path, 'package.json'), '{ "name": "project", "type": "module", "private": true }')
  npm('install', tarball)
  return { path, client: join(path, 'node_modules', 'gleaner-client'), tarball }
}

/** Creates a project that links the client's folder, which is faster than npm, with the programs of the tests. */
export function linkProject(path: string): Project {
  const client = join(path, 'node_modules', 'gleaner-client')
  mkdirSync(join(path, 'node_modules'), { recursive: true })
  const manifest = { type: 'module', dependencies: { 'gleaner-client': '*' } }
  writeFileSync(join(path, 'package.json'), JSON.stringify(manifest))
  symlinkSync(join(ROOT, 'clients', 'typescript'), client)
  for (const name of ['story.mjs', 'main.mjs', 'sturdy.mjs'])
    copyFileSync(join(ROOT, 'test', 'clients', 'typescript', name), join(path, name))
  return { path, client }
}
