/** Decides when to retry a failed call, and when to give up. */
export declare class Retries {
    #private;
    /** @param forS how long to retry, in seconds from the first failure; 0 for no retries */
    constructor(forS: number);
    /** Records that the call made progress, so the next failure counts as the first one. */
    reset(): void;
    /**
     * Waits until the next attempt is due: the delay that the service requested, or an exponential backoff if it is longer.
     *
     * @param error the error of the last attempt
     * @param repeatable whether to retry when it is unknown whether the call took effect
     * @throws the given error, if a retry cannot help, might take effect twice, or would be too late
     */
    wait(error: unknown, repeatable: boolean, signal: AbortSignal | undefined): Promise<void>;
}
/** Resolves after `ms` milliseconds. @throws the signal's reason as soon as it aborts */
export declare function sleep(ms: number, signal: AbortSignal | undefined): Promise<void>;
