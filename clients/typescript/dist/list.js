/** Every entry of a list, page by page as they are asked for. */
export async function* list(http, call, name) {
    for (let cursor;;) {
        const page = await http.json({ ...call, query: { ...call.query, cursor } });
        yield* page[name] ?? [];
        if (page.next_cursor === null)
            return;
        cursor = page.next_cursor;
    }
}
