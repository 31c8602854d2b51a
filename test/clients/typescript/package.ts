/**
 * The TypeScript client as its users have it: installed by npm from a tarball into a project of its own.
 *
 * @module
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../start/server.ts'

export type Project = {
  readonly path: string
  /** where the package lies in it */
  readonly client: string
  /** its tarball */
  readonly tarball: string
}

/** Makes a project in a folder, with the client installed. */
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
  copyPrograms(path)
  return { path, client: join(path, 'node_modules', 'gleaner-client'), tarball }
}

/** The same with the client's own folder in the place of an installation, which takes npm a while. */
export function linkProject(path: string): void {
  mkdirSync(join(path, 'node_modules'), { recursive: true })
  const manifest = { type: 'module', dependencies: { 'gleaner-client': '*' } }
  writeFileSync(join(path, 'package.json'), JSON.stringify(manifest))
  symlinkSync(join(ROOT, 'clients', 'typescript'), join(path, 'node_modules', 'gleaner-client'))
  copyPrograms(path)
}

/** Puts the programs of this folder into a project. */
function copyPrograms(path: string): void {
  for (const name of ['story.mjs', 'main.mjs', 'sturdy.mjs'])
    copyFileSync(join(ROOT, 'test', 'clients', 'typescript', name), join(path, name))
}
