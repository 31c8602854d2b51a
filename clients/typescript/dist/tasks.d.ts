/** The path of each task, and the input field that takes `next_cursor`. */
export declare const TASKS: {
    readonly [key: string]: {
        readonly path: string;
        readonly next: string | null;
    };
};
