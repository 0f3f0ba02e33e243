#include "source.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "embedded.h"
#include "env.h"
#include "error.h"
#include "file.h"
#include "map.h"
#include "strbuf.h"

#define MAX_NESTING 64
#define MAX_EXPANDED ((size_t)256 << 20)

/* ---- finding the directives of one file ---- */

typedef enum directive_kind { QUOTED, OUTSIDE, IF, IFNDEF, ELSE, ENDIF, DEFINE, PRAGMA_ONCE, OTHER } directive_kind;

typedef struct directive {
    directive_kind kind;
    size_t start, end; /* from the '#' to behind what was read of it */
    size_t line;       /* of end */
    size_t name, name_length;
} directive;

typedef struct directives {
    directive *items;
    size_t count, capacity;
    bool guarded; /* the whole file is one #ifndef NAME, #define NAME ... #endif */
} directives;

/* Reads a text one character at a time as if continued lines (a backslash before the line's end) were joined. */
typedef struct cursor {
    const char *text;
    size_t at, length, line;
} cursor;

static void skip_splices(cursor *c)
{
    while (c->at + 1 < c->length && c->text[c->at] == '\\' && c->text[c->at + 1] == '\n') {
        c->at += 2;
        c->line++;
    }
}

static int peek(cursor *c)
{
    skip_splices(c);
    return c->at < c->length ? (unsigned char)c->text[c->at] : -1;
}

static int next(cursor *c)
{
    int ch = peek(c);
    if (ch >= 0) {
        c->at++;
        c->line += ch == '\n';
    }
    return ch;
}

static bool next_is(cursor *c, char wanted)
{
    cursor ahead = *c;
    next(&ahead);
    return peek(&ahead) == wanted;
}

/* Behind a comment if one starts here. */
static bool skip_comment(cursor *c)
{
    if (peek(c) != '/') {
        return false;
    }
    if (next_is(c, '/')) {
        while (peek(c) >= 0 && peek(c) != '\n') {
            next(c);
        }
        return true;
    }
    if (next_is(c, '*')) {
        next(c);
        next(c);
        for (int before = 0, ch; (ch = next(c)) >= 0; before = ch) {
            if (before == '*' && ch == '/') {
                break;
            }
        }
        return true;
    }
    return false;
}

static void skip_blanks(cursor *c)
{
    for (;;) {
        int ch = peek(c);
        if (ch == ' ' || ch == '\t' || ch == '\f' || ch == '\v') {
            next(c);
        } else if (!skip_comment(c)) {
            return;
        }
    }
}

static bool is_word(int ch)
{
    return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') || ch == '_';
}

/* The word here, cut to `size`. */
static void read_word(cursor *c, char *word, size_t size)
{
    size_t n = 0;
    while (is_word(peek(c))) {
        int ch = next(c);
        if (n + 1 < size) {
            word[n++] = (char)ch;
        }
    }
    word[n] = 0;
}

/* The cursor is at the '#'. */
static directive read_directive(cursor *c)
{
    directive d = {.kind = OTHER, .start = c->at};
    next(c);
    skip_blanks(c);
    char word[12];
    read_word(c, word, sizeof word);
    skip_blanks(c);
    if (strcmp(word, "include") == 0) {
        d.kind = OUTSIDE;
        if (peek(c) == '"') {
            cursor quoted = *c;
            next(&quoted);
            d.name = quoted.at;
            int ch;
            while ((ch = peek(&quoted)) >= 0 && ch != '"' && ch != '\n') {
                next(&quoted);
            }
            if (ch == '"') {
                d.kind = QUOTED;
                d.name_length = quoted.at - d.name;
                next(&quoted);
                *c = quoted;
            }
        }
    } else if (strcmp(word, "if") == 0 || strcmp(word, "ifdef") == 0) {
        d.kind = IF;
    } else if (strcmp(word, "else") == 0 || strcmp(word, "elif") == 0) {
        d.kind = ELSE;
    } else if (strcmp(word, "endif") == 0) {
        d.kind = ENDIF;
    } else if (strcmp(word, "ifndef") == 0 || strcmp(word, "define") == 0) {
        d.kind = word[0] == 'i' ? IFNDEF : DEFINE;
        d.name = c->at;
        while (is_word(peek(c))) {
            next(c);
        }
        d.name_length = c->at - d.name;
    } else if (strcmp(word, "pragma") == 0) {
        char what[6];
        read_word(c, what, sizeof what);
        d.kind = strcmp(what, "once") == 0 ? PRAGMA_ONCE : OTHER;
    }
    d.end = c->at;
    d.line = c->line;
    return d;
}

/* Is the file one include guard? Its first and last directives, with no other text outside of them, decide. */
static bool is_guarded(const char *text, const directives *list, bool text_before, bool text_behind)
{
    if (text_before || text_behind || list->count < 3 || list->items[0].kind != IFNDEF ||
        list->items[1].kind != DEFINE || list->items[0].name_length != list->items[1].name_length ||
        memcmp(text + list->items[0].name, text + list->items[1].name, list->items[0].name_length) != 0) {
        return false;
    }
    size_t depth = 0;
    for (size_t i = 0; i < list->count; i++) {
        directive_kind kind = list->items[i].kind;
        if (kind == IF || kind == IFNDEF) {
            depth++;
        } else if (kind == ELSE && depth == 1) {
            return false;
        } else if (kind == ENDIF && (depth == 0 || --depth == 0)) {
            return i + 1 == list->count;
        }
    }
    return false;
}

static plait_status find_directives(const char *text, size_t length, directives *list)
{
    cursor c = {text, 0, length, 1};
    bool line_start = true, text_before = false, text_behind = false;
    int ch;
    while ((ch = peek(&c)) >= 0) {
        if (ch == '\n') {
            next(&c);
            line_start = true;
        } else if (ch == ' ' || ch == '\t' || ch == '\f' || ch == '\v') {
            next(&c);
        } else if (skip_comment(&c)) {
            continue;
        } else if (ch == '#' && line_start) {
            directive *grown = plait__grow(list->items, &list->capacity, list->count + 1, sizeof *grown);
            if (grown == NULL) {
                return PLAIT_E_NO_MEMORY;
            }
            list->items = grown;
            text_before = text_before || (list->count == 0 && text_behind);
            list->items[list->count++] = read_directive(&c);
            /* The rest of the line belongs to the directive, but for comments, which may go on below it. */
            while ((ch = peek(&c)) >= 0 && ch != '\n') {
                if (ch == '"' || ch == '\'') {
                    line_start = false;
                    break;
                }
                if (!skip_comment(&c)) {
                    next(&c);
                }
            }
            text_behind = false;
        } else if (ch == '"' || ch == '\'') {
            next(&c);
            int inside;
            while ((inside = peek(&c)) >= 0 && inside != '\n' && inside != ch) {
                next(&c);
                if (inside == '\\' && peek(&c) != '\n') {
                    next(&c);
                }
            }
            if (inside == ch) {
                next(&c);
            }
            line_start = false;
            text_behind = true;
        } else {
            next(&c);
            line_start = false;
            text_behind = true;
        }
    }
    list->guarded = is_guarded(text, list, text_before, text_behind);
    return PLAIT_OK;
}

/* ---- expanding ---- */

typedef struct source_file {
    char *path;     /* as #line names it */
    char *identity; /* the same for every way to the file */
    char *embedded; /* its name among the embedded files, NULL if it is none */
    char *text;
    size_t length;
} source_file;

/* What is known about a file that was expanded, kept in a map by identity. */
typedef struct seen_file {
    size_t number;
    bool open; /* its expansion is not finished: it is on the way from the root to here */
    bool done; /* it was expanded outside of any condition */
} seen_file;

typedef struct expander {
    const plait__source_request *request;
    plait__strbuf out;
    plait__map seen;
    bool outside;
} expander;

static void file_free(source_file *file)
{
    free(file->path);
    free(file->identity);
    free(file->embedded);
    free(file->text);
    *file = (source_file){0};
}

/* Drops a byte-order mark and makes every line end in '\n' alone. */
static void normalise(char *text, size_t *length)
{
    size_t from = *length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0, to = 0;
    for (; from < *length; from++) {
        if (text[from] != '\r' || from + 1 == *length || text[from + 1] != '\n') {
            text[to++] = text[from];
        }
    }
    text[to] = 0;
    *length = to;
}

static void add_line(plait__strbuf *out, size_t line, const char *path)
{
    plait__strbuf_printf(out, "\n#line %zu \"", line);
    for (; *path != 0; path++) {
        if (*path == '"' || *path == '\\') {
            plait__strbuf_add_char(out, '\\');
        }
        plait__strbuf_add_char(out, *path == '\n' ? ' ' : *path);
    }
    plait__strbuf_add(out, "\"\n");
}

/* "a/b/../c" is "a/c"; NULL, without a failure, for what leaves the root. Result in `out`, as long as the two names. */
static bool embedded_name(char *out, const char *folder, size_t folder_length, const char *name)
{
    size_t n = 0;
    for (size_t i = 0; i < folder_length; i++) {
        out[n++] = folder[i];
    }
    while (*name != 0) {
        size_t part = strcspn(name, "/");
        if (part == 2 && name[0] == '.' && name[1] == '.') {
            if (n == 0) {
                return false;
            }
            n--; /* the slash */
            while (n > 0 && out[n - 1] != '/') {
                n--;
            }
        } else if (part > 0 && !(part == 1 && name[0] == '.')) {
            memcpy(out + n, name, part);
            n += part;
            if (name[part] == '/') {
                out[n++] = '/';
            }
        }
        name += part + (name[part] == '/');
    }
    out[n] = 0;
    return n > 0;
}

static const plait__embedded *find_embedded(const char *name)
{
    size_t low = 0, high = plait__embedded_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(plait__embedded_files[middle].name, name);
        if (order == 0) {
            return &plait__embedded_files[middle];
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

/* Opens the file at `path` if there is one. *found tells; a file that is there but cannot be read is a failure. */
static plait_status try_path(source_file *file, const char *path, bool *found)
{
    plait__file_info info;
    *found = false;
    PLAIT__TRY(plait__file_stat(&info, path));
    if (info.type != PLAIT__FILE_REGULAR && info.type != PLAIT__FILE_OTHER) {
        return PLAIT_OK;
    }
    PLAIT__TRY(plait__file_read(&file->text, &file->length, path, MAX_EXPANDED));
    file->identity = plait__path_real(path);
    file->path = plait__strdup(path);
    *found = true;
    return file->identity != NULL && file->path != NULL ? PLAIT_OK : PLAIT_E_NO_MEMORY;
}

static plait_status try_embedded(source_file *file, const char *name, plait__strbuf *places, bool *found)
{
    const plait__embedded *embedded = find_embedded(name);
    const char *override = plait__env_text("PLAIT_KERNEL_PATH");
    *found = false;
    if (override != NULL) {
        char *path = plait__path_join(override, name);
        plait_status status = path == NULL ? PLAIT_E_NO_MEMORY : try_path(file, path, found);
        plait__strbuf_printf(places, "%s%s", places->length > 0 ? ", " : "", path == NULL ? "" : path);
        free(path);
        PLAIT__TRY(status);
    }
    if (!*found && embedded != NULL) {
        file->text = plait__strndup(embedded->text, embedded->length);
        file->length = embedded->length;
        file->path = plait__strdup(name);
        file->identity = plait__strdup(name); /* relative: never equal to a file's */
        *found = true;
        if (file->text == NULL || file->path == NULL || file->identity == NULL) {
            return PLAIT_E_NO_MEMORY;
        }
    }
    if (*found) {
        file->embedded = plait__strdup(name);
        return file->embedded != NULL ? PLAIT_OK : PLAIT_E_NO_MEMORY;
    }
    plait__strbuf_printf(places, "%sthe library's own \"%s\"", places->length > 0 ? ", " : "", name);
    return PLAIT_OK;
}

/* Looks for `name` everywhere. Without success *found is false and `places` lists where it was looked for. */
static plait_status find_file(expander *e, const source_file *from, const char *name, source_file *file,
                              plait__strbuf *places, bool *found)
{
    const plait__source_request *r = e->request;
    *found = false;
    if (!r->embedded) {
        bool absolute = name[0] == '/';
        size_t own = from->identity != NULL && !absolute ? 1 : 0;
        size_t n = absolute ? 1 : own + r->n_include_dirs;
        for (size_t i = 0; i < n && !*found; i++) {
            char *folder = i < own ? plait__path_folder(from->path) : NULL;
            char *path = absolute  ? plait__strdup(name)
                         : i < own ? (folder == NULL ? NULL : plait__path_join(folder, name))
                                   : plait__path_join(r->include_dirs[i - own], name);
            plait_status status = path == NULL ? PLAIT_E_NO_MEMORY : try_path(file, path, found);
            plait__strbuf_printf(places, "%s%s", places->length > 0 ? ", " : "", path == NULL ? "" : path);
            free(folder);
            free(path);
            PLAIT__TRY(status);
        }
    }
    if (r->embedded && name[0] != '/') {
        const char *own = from->embedded != NULL ? from->embedded : "";
        const char *slash = strrchr(own, '/');
        size_t folder = slash == NULL ? 0 : (size_t)(slash - own) + 1;
        char *full = plait__malloc(folder + strlen(name) + 2);
        plait_status status = full == NULL ? PLAIT_E_NO_MEMORY : PLAIT_OK;
        if (status == PLAIT_OK && embedded_name(full, own, folder, name)) {
            status = try_embedded(file, full, places, found);
        }
        if (status == PLAIT_OK && !*found && folder > 0 && embedded_name(full, "", 0, name)) {
            status = try_embedded(file, full, places, found);
        }
        free(full);
        PLAIT__TRY(status);
    }
    return PLAIT_OK;
}

static plait_status expand_file(expander *e, const source_file *file, bool conditional, size_t nesting);

static plait_status expand_include(expander *e, const source_file *from, const directive *d, bool conditional,
                                   size_t nesting)
{
    const char *function = e->request->function;
    char *name = plait__strndup(from->text + d->name, d->name_length);
    if (name == NULL) {
        return PLAIT_E_NO_MEMORY;
    }
    source_file file = {0};
    plait__strbuf places = {0};
    bool found = false;
    plait_status status = find_file(e, from, name, &file, &places, &found);
    if (status == PLAIT_OK && !found && conditional) {
        /* Perhaps nobody needs it. The quotes and the comment marks of a path must not confuse the preprocessor. */
        plait__strbuf_printf(&e->out, "\n#line %zu\n#error \"", d->line);
        plait__strbuf message = {0};
        plait__strbuf_printf(&message, "%s: included, but not found; looked for: %s", name,
                             places.length > 0 ? plait__strbuf_text(&places)
                                               : "nothing, there is no folder to look in");
        for (const char *c = plait__strbuf_text(&message); *c != 0; c++) {
            plait__strbuf_add_char(&e->out, *c == '"' || *c == '\\' || *c == '\n' ? '\'' : *c);
        }
        plait__strbuf_add(&e->out, "\"\n");
        plait__strbuf_free(&message);
    } else if (status == PLAIT_OK && !found) {
        status =
            plait__fail(PLAIT_E_BUILD,
                        "%s: %s:%zu: the included file \"%s\" was not found; looked for: %s; "
                        "name its folder in include_dirs",
                        function, from->path, d->line, name,
                        places.length > 0 ? plait__strbuf_text(&places) : "nothing, as a source string has no folder");
    } else if (status == PLAIT_OK) {
        if (nesting >= MAX_NESTING) {
            status = plait__fail(PLAIT_E_BUILD, "%s: %s:%zu: \"%s\" is included %d files deep; that is too deep",
                                 function, from->path, d->line, name, MAX_NESTING);
        } else {
            status = expand_file(e, &file, conditional, nesting + 1);
        }
    }
    plait__strbuf_free(&places);
    file_free(&file);
    free(name);
    return status;
}

/* Is the word part of the defines or options? Then the guard of that name may be set before the file is read. */
static bool named_outside(const plait__source_request *r, const char *word, size_t length)
{
    for (size_t i = 0; i <= r->n_defines; i++) {
        const char *text = i < r->n_defines ? r->defines[i] : r->options;
        for (size_t at = 0; text[at] != 0; at++) {
            if (strncmp(text + at, word, length) == 0) {
                return true;
            }
        }
    }
    return false;
}

static plait_status expand_text(expander *e, const source_file *file, const directives *list, bool conditional,
                                size_t nesting)
{
    bool guarded =
        list->guarded && !named_outside(e->request, file->text + list->items[0].name, list->items[0].name_length);
    size_t depth = 0, copied = 0;
    add_line(&e->out, 1, file->path);
    for (size_t i = 0; i < list->count; i++) {
        const directive *d = &list->items[i];
        switch (d->kind) {
        case IF:
        case IFNDEF:
            depth += !(guarded && i == 0);
            break;
        case ENDIF:
            depth -= depth > 0;
            break;
        case OUTSIDE:
            e->outside = true;
            break;
        case PRAGMA_ONCE:
        case QUOTED:
            plait__strbuf_add_bytes(&e->out, file->text + copied, d->start - copied);
            copied = d->end;
            if (d->kind == QUOTED) {
                PLAIT__TRY(expand_include(e, file, d, conditional || depth > 0, nesting));
                add_line(&e->out, d->line, file->path);
            }
            break;
        case ELSE:
        case DEFINE:
        case OTHER:
            break;
        }
        if (e->out.length > MAX_EXPANDED) {
            return plait__fail(PLAIT_E_BUILD, "%s: %s: the included files expand to more than %zu MiB",
                               e->request->function, e->request->name, MAX_EXPANDED >> 20);
        }
    }
    plait__strbuf_add_bytes(&e->out, file->text + copied, file->length - copied);
    return e->out.status;
}

/* The file's text, unless it has been here. `file` has been read, but is as it was on the disk. */
static plait_status expand_file(expander *e, const source_file *file, bool conditional, size_t nesting)
{
    const char *key = file->identity != NULL ? file->identity : "";
    seen_file *seen = plait__map_get_text(&e->seen, key);
    if (seen != NULL && (seen->open || seen->done)) {
        return PLAIT_OK;
    }
    bool guard = conditional || seen != NULL;
    if (seen == NULL) {
        seen = plait__calloc(1, sizeof *seen);
        if (seen == NULL) {
            return PLAIT_E_NO_MEMORY;
        }
        seen->number = e->seen.count;
        plait_status status = plait__map_set_text(&e->seen, key, seen, NULL);
        if (status != PLAIT_OK) {
            free(seen);
            return status;
        }
    }
    source_file text = *file; /* the same strings, the length after clean-up */
    normalise(text.text, &text.length);
    if (memchr(text.text, 0, text.length) != NULL) {
        return plait__fail(PLAIT_E_BUILD, "%s: %s holds a NUL byte; a source is text", e->request->function,
                           file->path);
    }
    directives list = {0};
    plait_status status = find_directives(text.text, text.length, &list);
    if (status == PLAIT_OK) {
        if (guard) {
            plait__strbuf_printf(&e->out, "\n#ifndef PLAIT_INCLUDED_%zu_\n#define PLAIT_INCLUDED_%zu_", seen->number,
                                 seen->number);
        }
        seen->open = true;
        status = expand_text(e, &text, &list, conditional, nesting);
        seen->open = false;
        seen->done = !conditional;
        if (guard) {
            plait__strbuf_add(&e->out, "\n#endif");
        }
    }
    free(list.items);
    return status;
}

/* One #define line. A define is NAME, NAME=VALUE, NAME(a,b)=VALUE. */
static plait_status add_define(expander *e, const char *define)
{
    const char *function = e->request->function;
    PLAIT__REQUIRE(define != NULL, PLAIT_E_NULL, "%s: an entry of defines is NULL", function);
    size_t word = 0;
    while (is_word(define[word])) {
        word++;
    }
    size_t name = word;
    bool closed = true;
    if (define[name] == '(') {
        name += strcspn(define + name, ")=");
        closed = define[name] == ')';
        name += closed;
    }
    bool starts_well = word > 0 && closed && !(define[0] >= '0' && define[0] <= '9');
    PLAIT__REQUIRE(starts_well && (define[name] == 0 || define[name] == '=') && strpbrk(define, "\r\n") == NULL,
                   PLAIT_E_ARGUMENT, "%s: the define \"%s\" is not of the form NAME or NAME=VALUE on one line",
                   function, define);
    plait__strbuf_add(&e->out, "#define ");
    plait__strbuf_add_bytes(&e->out, define, name);
    plait__strbuf_printf(&e->out, " %s\n", define[name] == '=' ? define + name + 1 : "1");
    return PLAIT_OK;
}

plait_status plait__source_expand(const plait__source_request *request, plait__source *out)
{
    assert(request->options != NULL);
    *out = (plait__source){0};
    expander e = {.request = request};
    source_file root = {.length = request->length};
    root.path = plait__strdup(request->name);
    root.text = plait__strndup(request->text, request->length);
    if (request->is_file && root.path != NULL) {
        root.identity = plait__path_real(root.path);
    }
    plait_status status = PLAIT_OK;
    if (root.path == NULL || root.text == NULL || (request->is_file && root.identity == NULL)) {
        status = plait_last_status();
    } else if (strspn(root.text, " \t\r\n\f\v") == request->length) {
        status = plait__fail(PLAIT_E_ARGUMENT, "%s: %s is empty", request->function, request->name);
    }
    for (size_t i = 0; i < request->n_defines && status == PLAIT_OK; i++) {
        status = add_define(&e, request->defines[i]);
    }
    if (status == PLAIT_OK) {
        status = expand_file(&e, &root, false, 0);
    }
    plait__strbuf_add_char(&e.out, '\n');
    if (status == PLAIT_OK) {
        status = e.out.status;
    }
    if (status == PLAIT_OK) {
        out->outside = e.outside;
        out->length = e.out.length;
        out->text = plait__strbuf_take(&e.out);
    }
    plait__strbuf_free(&e.out);
    plait__map_free(&e.seen, free);
    file_free(&root);
    return status;
}
