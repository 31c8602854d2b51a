/**
 * Lets a plugin outside the project resolve `gleaner/plugin`: through a link `node_modules/gleaner` to the project,
 * next to the plugin folders. Inside the project the package's own `exports` resolve it.
 *
 * @module
 */
import { lstat, mkdir, realpath, symlink, unlink } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Makes sure that plugins below `folder` resolve `gleaner/plugin` to this project.
 *
 * @param folder a real path
 * @throws {Error} with instructions to create the link, when it can't be created or points elsewhere
 */
export async function linkKit(folder: string): Promise<void> {
  const project = await realpath(PROJECT)
  if (!relative(project, folder).startsWith('..')) return
  const link = join(folder, 'node_modules', 'gleaner')
  const target = await realpath(link).catch(() => undefined)
  if (target === project) return
  const how = `create it with: ln -sfn ${JSON.stringify(project)} ${JSON.stringify(link)}`
  if (target !== undefined) throw new Error(`${link} points to ${target} instead of this project; ${how}`)
  try {
    await mkdir(join(folder, 'node_modules'), { recursive: true })
    // A dangling link is left over from a project that was moved.
    if (await lstat(link).catch(() => undefined)) await unlink(link)
    await symlink(project, link, 'junction')
  } catch (error) {
    // Another process may have created it concurrently.
    if ((await realpath(link).catch(() => undefined)) === project) return
    const why = error instanceof Error ? error.message : String(error)
    throw new Error(
      `the link ${link} to this project, which plugins need, could not be created (${why}); ${how}`,
    )
  }
}
