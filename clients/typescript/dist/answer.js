import { GleanerError } from "./errors.js";
/** One try of a call: it ends when its caller aborts it, or when nothing is heard for too long. */
export class Try {
    #controller = new AbortController();
    #caller;
    #service;
    #silenceMs;
    #abort = () => this.#controller.abort(this.#caller?.reason);
    /** @param service where it goes, for what is said when it fails */
    constructor(service, caller, silenceMs) {
        caller?.throwIfAborted();
        this.#service = service;
        this.#caller = caller;
        this.#silenceMs = silenceMs;
        caller?.addEventListener('abort', this.#abort);
    }
    get signal() {
        return this.#controller.signal;
    }
    /** Waits for one thing to be heard. @throws {GleanerError} `connection-failed`; the caller's reason when that aborted */
    async hear(next) {
        const late = () => {
            const words = `nothing was heard for ${this.#silenceMs / 1000} s`;
            this.#controller.abort(new DOMException(words, 'TimeoutError'));
        };
        const timer = setTimeout(late, this.#silenceMs);
        try {
            return await next;
        }
        catch (cause) {
            const reason = reasonOf(this.signal.reason ?? cause);
            this.end();
            this.#caller?.throwIfAborted();
            const detail = `${this.#service} could not be reached, or the connection broke: ${reason}.`;
            throw new GleanerError({ code: 'connection-failed', detail }, { cause });
        }
        finally {
            clearTimeout(timer);
        }
    }
    /** Gives the connection up, if there still is one. */
    end() {
        this.#caller?.removeEventListener('abort', this.#abort);
        this.#controller.abort();
    }
}
/** What a failed fetch says is often only in its cause. */
function reasonOf(error) {
    const { message, cause } = error;
    return [message, cause?.message].filter(Boolean).join(': ');
}
/** The answer to a call, of which the body is still to come. */
export class Answer {
    response;
    #try;
    constructor(response, current) {
        this.response = response;
        this.#try = current;
    }
    /** The body as it comes. Leaving the loop gives the connection up. */
    async *bytes() {
        try {
            const reader = this.response.body?.getReader();
            while (reader) {
                const { value } = await this.#try.hear(reader.read());
                if (value === undefined)
                    return;
                yield value;
            }
        }
        finally {
            this.#try.end();
        }
    }
    /** Gives the connection up, for an answer that is not read to its end. */
    end() {
        this.#try.end();
    }
    async text() {
        const decoder = new TextDecoder();
        let text = '';
        for await (const part of this.bytes())
            text += decoder.decode(part, { stream: true });
        return text + decoder.decode();
    }
}
