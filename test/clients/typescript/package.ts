/**
 * The TypeScript client as its users have it: installed by npm from a tarball into a project of its own.
 *
 * @module
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../start/server.ts'

export type Project = {
  readonly path: string
  /** where the package lies in it */
  readonly client: string
  /** its tarball */
  readonly tarball: string
}

/** Makes a project in a folder, with the client installed and the programs of this folder beside it. */
export function makeProject(path: string): Project {
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
  for (const name of ['story.mjs', 'main.mjs', 'sturdy.mjs']) {
    copyFileSync(join(ROOT, 'test', 'clients', 'typescript', name), join(path, name))
  }
  return { path, client: join(path, 'node_modules', 'gleaner-client'), tarball }
}
