/** One try of a call: it ends when its caller aborts it, or when nothing is heard for too long. */
export declare class Try {
    #private;
    /** @param service where it goes, for what is said when it fails */
    constructor(service: string, caller: AbortSignal | undefined, silenceMs: number);
    get signal(): AbortSignal;
    /** Waits for one thing to be heard. @throws {GleanerError} `connection-failed`; the caller's reason when that aborted */
    hear<T>(next: Promise<T>): Promise<T>;
    /** Gives the connection up, if there still is one. */
    end(): void;
}
/** The answer to a call, of which the body is still to come. */
export declare class Answer {
    #private;
    readonly response: Response;
    constructor(response: Response, current: Try);
    /** The body as it comes. Leaving the loop gives the connection up. */
    bytes(): AsyncGenerator<Uint8Array<ArrayBuffer>, void>;
    /** Gives the connection up, for an answer that is not read to its end. */
    end(): void;
    text(): Promise<string>;
}
