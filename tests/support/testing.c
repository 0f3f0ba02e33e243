/*
 * Helpers for the unit tests.
 * Copyright 2026 The Plait authors. SPDX-License-Identifier: Apache-2.0
 */
#include "testing.h"

#include <ftw.h>
#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

static char *make_folder_in(const char *folder)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/tmp-XXXXXX", folder);
    assert_non_null(mkdtemp(path));
    char *copy = strdup(path);
    assert_non_null(copy);
    return copy;
}

char *test_folder_make(void)
{
    char here[3000];
    assert_non_null(getcwd(here, sizeof here));
    return make_folder_in(here);
}

char *test_folder_make_for_others(void)
{
    char *folder = make_folder_in("/tmp");
    assert_int_equal(chmod(folder, 0755), 0);
    return folder;
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *ftw)
{
    (void)info;
    (void)type;
    (void)ftw;
    return remove(path);
}

void test_folder_remove(char *folder)
{
    assert_int_equal(nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
    free(folder);
}

const char *test_path(const char *folder, const char *name)
{
    static char paths[4][4096];
    static unsigned turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

void test_file_write(const char *path, const void *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

static bool has_comma(const char *name)
{
    char text[16];
    return setlocale(LC_ALL, name) != NULL && snprintf(text, sizeof text, "%.1f", 0.5) > 0 && strcmp(text, "0,5") == 0;
}

/* localedef comes with the C library; the definitions that it would copy from may not be there, so these are complete.
 */
static bool make_locale(const char *folder)
{
    FILE *f = fopen(test_path(folder, "charmap"), "w");
    if (f == NULL) {
        return false;
    }
    fprintf(f, "<code_set_name> ASCII7\n<comment_char> %%\n<escape_char> /\n<mb_cur_min> 1\n<mb_cur_max> 1\nCHARMAP\n");
    for (unsigned i = 0; i < 128; i++) {
        fprintf(f, "<U%04X> /x%02x\n", i, i);
    }
    fprintf(f, "END CHARMAP\n");
    fclose(f);
    static const char source[] = "comment_char %\nescape_char /\nLC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\n"
                                 "grouping 3;3\nEND LC_NUMERIC\n";
    test_file_write(test_path(folder, "source"), source, sizeof source - 1);
    char command[9000];
    snprintf(command, sizeof command, "cd '%s' && localedef -c -f ./charmap -i source ./xx_XX >/dev/null 2>&1", folder);
    /* localedef warns of the categories that are left out, and says so in its status. */
    int status = system(command);
    (void)status;
    return access(test_path(folder, "xx_XX/LC_NUMERIC"), R_OK) == 0;
}

bool test_comma_locale(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "nl_NL.UTF-8"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (has_comma(names[i])) {
            return true;
        }
    }
    char *folder = test_folder_make();
    bool good = false;
    if (make_locale(folder) && setenv("LOCPATH", folder, 1) == 0) {
        good = has_comma("xx_XX");
    }
    /* The C library has read the locale into memory. */
    unsetenv("LOCPATH");
    test_folder_remove(folder);
    if (!good) {
        setlocale(LC_ALL, "C");
    }
    return good;
}
