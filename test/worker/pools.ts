/**
 * Settings of pools of children, for tests.
 *
 * @module
 */
import { join } from 'node:path'
import type { PoolSettings } from '../../src/worker/process/pool.ts'

/** What a pool needs, with as little as possible. @param folder where its children write files */
export const poolSettings = (folder: string) =>
  ({
    size: 1,
    workFolder: folder,
    hidden: null,
    // Children read no plugins from elsewhere.
    pluginsDir: join(import.meta.dirname, '..'),
    userAgent: 'Gleaner/test',
    origins: new Map<string, string>(),
    proxyUrl: null,
    chromiumPath: null,
  }) satisfies PoolSettings
