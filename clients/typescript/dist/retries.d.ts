/** When a failed call is made again, and when no more. */
export declare class Retries {
    #private;
    /** @param forS seconds from the first failure on, 0 for no retries */
    constructor(forS: number);
    /** The call got on: what fails from now on is a new outage. */
    reset(): void;
    /**
     * Waits until the next try is due: as long as the service said, or twice as long each time.
     *
     * @param error that of the last try
     * @param repeatable whether the call may be made again though it is not known what it has done
     * @throws that error, when another try cannot help, may do something twice, or would be too late
     */
    wait(error: unknown, repeatable: boolean, signal: AbortSignal | undefined): Promise<void>;
}
/** Resolves after some milliseconds. @throws the signal's reason as soon as it aborts */
export declare function sleep(ms: number, signal: AbortSignal | undefined): Promise<void>;
