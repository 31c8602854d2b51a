/** All entries of a list. Each page is fetched when its first entry is requested. */
export async function* list(http, call, name) {
    for (let cursor;;) {
        const page = await http.json({ ...call, query: { ...call.query, cursor } });
        yield* page[name] ?? [];
        if (page.next_cursor === null)
            return;
        cursor = page.next_cursor;
    }
}
