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
    workerConcurrency: 1,
    dataDir: folder,
    // Children read no plugins from elsewhere.
    pluginsDir: join(import.meta.dirname, '..'),
    publicUrl: 'http://gleaner.example',
    sourceOrigins: new Map<string, string>(),
    proxyUrl: null,
    chromiumPath: null,
  }) satisfies PoolSettings
