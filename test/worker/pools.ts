/**
 * Settings of pools of children, for tests.
 *
 * @module
 */
import { join } from 'node:path'
import type { PoolSettings } from '../../src/worker/process/pool.ts'

/** Minimal settings of a pool. @param folder where its children write files */
export const poolSettings = (folder: string) =>
  ({
    runsPerProcess: 1,
    browserPages: 4,
    dataDir: folder,
    // The folder of plugins that children may read.
    pluginsDir: join(import.meta.dirname, '..'),
    contact: 'http://gleaner.example',
    sourceOrigins: new Map<string, string>(),
    proxyUrl: null,
    chromiumPath: null,
  }) satisfies PoolSettings
