/** One attempt at a call. It ends when the caller aborts it, or when the service is silent for too long. */
export declare class Try {
    #private;
    /** @param service the origin of the service, for error messages */
    constructor(service: string, caller: AbortSignal | undefined, silenceMs: number);
    get signal(): AbortSignal;
    /**
     * Waits for `next`, until the service has been silent for too long.
     *
     * @throws {GleanerError} `connection-failed`; if the caller aborted, the reason of its signal
     */
    hear<T>(next: Promise<T>): Promise<T>;
    /** Closes the connection, if it is still open. */
    end(): void;
}
/** The response to a call. Its body has not been read yet. */
export declare class OpenResponse {
    #private;
    readonly response: Response;
    constructor(response: Response, current: Try);
    /** The body in chunks, as they arrive. Leaving the loop closes the connection. */
    bytes(): AsyncGenerator<Uint8Array<ArrayBuffer>, void>;
    /** Closes the connection of a response that is not read to its end. */
    end(): void;
    text(): Promise<string>;
}
