/** Where each task is, and the field of its input that takes `next_cursor`. */
export declare const TASKS: {
    readonly [key: string]: {
        readonly path: string;
        readonly next: string | null;
    };
};
