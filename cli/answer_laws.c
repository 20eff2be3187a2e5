/* The laws of an answer: which ones, by what name, and their outcomes. They are computed beside the
 * main thread, cheap ones first, so that Ctrl-C shows what is known at that moment. */
#include "answer.h"
#include "memory.h"
#include "watch.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

bool cli_answer_exists(const carom_outcome *outcome)
{
    return outcome->answer == CAROM_ANSWER_OK || outcome->answer == CAROM_ANSWER_SEVERAL;
}

void cli_answer_label(const cli_answer *a, int k, char *text, size_t size)
{
    const carom_law **laws = calloc((size_t)a->count, sizeof(carom_law *));
    for (int i = 0; laws && i < a->count; i++)
        laws[i] = &a->entries[i].law;
    if (laws)
        carom_law_label(a->count, laws, k, text, size);
    else
        snprintf(text, size, "%s", a->entries[k].law.ops->name);
    free(laws);
}

/* Add a law to the entries; text as after --law. */
static int add_law(cli_answer *a, const char *text)
{
    carom_error error = {0};
    cli_entry *entries = realloc(a->entries, (size_t)(a->count + 1) * sizeof *entries);
    if (!entries)
        return cli_message_memory();
    a->entries = entries;
    entries[a->count] = (cli_entry){.text = text};
    if (carom_scene_parse_law(a->scene, text, &entries[a->count].law, &error))
        return cli_message_law(&error);
    a->count++;
    return CLI_ANSWERED;
}

/* The first choice parameter that `carom impact` lists as variants, or NULL. */
static const carom_parameter *find_variants(const carom_law_ops *ops)
{
    for (const carom_parameter *q = ops->parameters; q && q->name; q++)
        if (q->varies)
            return q;
    return NULL;
}

/* Every law, a choice that varies once per word. */
static int add_all_laws(cli_answer *a)
{
    int status = CLI_ANSWERED;
    for (int i = 0; i < carom_law_count() && !status; i++) {
        const carom_law_ops *ops = carom_law_at(i);
        const carom_parameter *q = find_variants(ops);
        if (!q) {
            status = add_law(a, ops->name);
            continue;
        }
        for (const char *word = q->choices; *word && !status;) {
            int length = (int)strcspn(word, "|");
            char text[128];
            snprintf(text, sizeof text, "%s:%s=%.*s", ops->name, q->name, length, word);
            status = add_law(a, text);
            word += length + (word[length] == '|');
        }
    }
    for (int k = 0; k < a->count; k++)
        a->entries[k].text = NULL; /* nobody typed it */
    return status;
}

/* Why a law that ran out of memory has no answer. */
static void say_memory(carom_outcome *outcome)
{
    char asked[24], limit[24];
    if (cli_memory_refused())
        carom_outcome_say(outcome, "out of memory: it asked for %s more, the limit is %s",
                          cli_memory_text((double)cli_memory_refused(), asked),
                          cli_memory_text((double)cli_memory_limit(), limit));
    else
        carom_outcome_say(outcome, "out of memory");
}

/* What theory promises, checked against the verdicts it will stand beside: a contradiction is a
 * defect of the program, told as one and never printed as a proof. */
static carom_status find_promise(const cli_answer *a, carom_arena *arena, cli_entry *entry,
                                 carom_error *error)
{
    carom_promise promise;
    carom_status status = carom_law_promise(&entry->law, &a->geometry, arena, &promise, error);
    if (status)
        return status;
    if (carom_law_keeps(&promise, &entry->outcome, &entry->broken))
        snprintf(entry->certificate, sizeof entry->certificate, "%s", promise.text);
    else
        snprintf(entry->certificate, sizeof entry->certificate,
                 "DEFECT of carom: theory promises the %s verdict; please report the scene",
                 entry->broken);
    return CAROM_OK;
}

/* One law. A failure of the numbers or of memory is that law's own and makes its row; a law that
 * cannot be asked like this (entry->usage) ends the command when the user asked for it. */
static void compute(const cli_answer *a, carom_arena *arena, cli_entry *entry)
{
    carom_error error = {0};
    carom_mark mark = carom_arena_mark(arena);
    carom_status status =
        carom_law_apply(&entry->law, &a->geometry, arena, &entry->outcome, &error);
    if (!status && cli_answer_exists(&entry->outcome))
        status = find_promise(a, arena, entry, &error);
    if (!status)
        return;
    carom_arena_rewind(arena, mark);
    entry->outcome = (carom_outcome){.answer = CAROM_ANSWER_FAILED};
    entry->certificate[0] = '\0';
    entry->memory = status == CAROM_ERROR_MEMORY;
    entry->usage = status == CAROM_ERROR_ARGUMENT || status == CAROM_ERROR_INPUT;
    if (entry->memory)
        say_memory(&entry->outcome);
    else
        carom_outcome_say(&entry->outcome, "%s", error.text);
}

/* The work of the second thread. */
typedef struct job {
    cli_answer *answer;
    int *order; /* cheap laws first */
    pthread_mutex_t lock;
    pthread_cond_t ready; /* one more is */
    int done;             /* laws computed, in that order */
    bool stopped;         /* nobody waits for more */
} job;

static void *work(void *self)
{
    job *j = self;
    cli_answer *a = j->answer;
    for (int k = 0; k < a->count; k++) {
        cli_entry entry = a->entries[j->order[k]]; /* shown only when it is whole */
        compute(a, a->arena, &entry);
        pthread_mutex_lock(&j->lock);
        bool stopped = j->stopped;
        if (!stopped) {
            a->entries[j->order[k]] = entry;
            j->done = k + 1;
            pthread_cond_signal(&j->ready);
        }
        pthread_mutex_unlock(&j->lock);
        if (stopped)
            return NULL;
    }
    return NULL;
}

/* A line about a law that is done, for those who wait. */
static void show_law(const cli_answer *a, int k)
{
    const carom_outcome *o = &a->entries[k].outcome;
    char label[128];
    cli_answer_label(a, k, label, sizeof label);
    if (cli_answer_exists(o))
        fprintf(stderr, "\r%-28s energy %+.6g, %s %s %s%20s\n", label, o->energy_change,
                o->verdict.kinematic ? "✓" : "✗", o->verdict.kinetic ? "✓" : "✗",
                o->verdict.energetic ? "✓" : "✗", "");
    else
        fprintf(stderr, "\r%-28s %s%30s\n", label, carom_answer_text(o->answer), "");
}

/* Wait for the laws. Work over a second is shown as it comes, on a terminal. */
static void wait_for_laws(job *j)
{
    cli_answer *a = j->answer;
    cli_progress progress;
    int shown = 0;
    cli_progress_begin(&progress);
    pthread_mutex_lock(&j->lock);
    while (j->done < a->count && !j->stopped) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 100000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&j->ready, &j->lock, &until);
        j->stopped = cli_watch_stopped();
        if (j->done == a->count || !cli_progress_due(&progress))
            continue;
        for (; shown < j->done; shown++)
            show_law(a, j->order[shown]);
        char label[128];
        cli_answer_label(a, j->order[j->done], label, sizeof label);
        fprintf(stderr, "\r%d of %d laws, now %s (Ctrl-C: show what is known)", j->done, a->count,
                label);
    }
    cli_progress_end(&progress);
    pthread_mutex_unlock(&j->lock);
}

/* Laws by their cost, otherwise in the order of their entries. */
static void sort_laws(const cli_answer *a, int *order)
{
    for (int k = 0; k < a->count; k++) {
        int i = k;
        for (; i > 0 && a->entries[order[i - 1]].law.ops->cost > a->entries[k].law.ops->cost; i--)
            order[i] = order[i - 1];
        order[i] = k;
    }
}

/* All laws, in a thread of their own where there is one to be had. */
static int compute_all(cli_answer *a)
{
    job *j = calloc(1, sizeof *j);
    int *order = calloc((size_t)a->count + 1, sizeof *order);
    pthread_t thread;
    if (!j || !order) {
        free(j);
        free(order);
        return cli_message_memory();
    }
    *j = (job){.answer = a, .order = order};
    pthread_mutex_init(&j->lock, NULL);
    pthread_cond_init(&j->ready, NULL);
    sort_laws(a, order);
    if (pthread_create(&thread, NULL, work, j) == 0) {
        wait_for_laws(j);
        a->stopped = j->stopped;
        if (!a->stopped)
            pthread_join(thread, NULL);
    } else {
        work(j);
    }
    for (int k = j->done; a->stopped && k < a->count; k++) {
        carom_outcome *outcome = &a->entries[order[k]].outcome;
        *outcome = (carom_outcome){.answer = CAROM_ANSWER_FAILED};
        carom_outcome_say(outcome, "stopped before it had an answer");
    }
    if (a->stopped)
        return CLI_ANSWERED; /* the thread still uses all this */
    pthread_cond_destroy(&j->ready);
    pthread_mutex_destroy(&j->lock);
    free(order);
    free(j);
    return CLI_ANSWERED;
}

int cli_answer_choose(const cli_arguments *arguments, cli_answer *a)
{
    int status = CLI_ANSWERED;
    for (int k = 0; cli_option_value(arguments, "law", k) && !status; k++)
        status = add_law(a, cli_option_value(arguments, "law", k));
    return cli_option_given(arguments, "law") || status ? status : add_all_laws(a);
}

int cli_answer_apply(cli_answer *a)
{
    int status = compute_all(a);
    if (status)
        return status;
    bool any = false, memory = false;
    for (int k = 0; k < a->count; k++) {
        const cli_entry *entry = &a->entries[k];
        if (entry->usage && entry->text)
            return cli_message_usage("--law %s: %s", entry->text, entry->outcome.message);
        any = any || cli_answer_exists(&entry->outcome);
        memory = memory || entry->memory;
        if (entry->broken)
            cli_message_warning("law %s: theory promises the %s verdict, the outcome does not have "
                                "it; this is a defect of carom, please report the scene",
                                entry->law.ops->name, entry->broken);
    }
    a->applied = true;
    if (memory && !a->stopped)
        cli_message_warning("some laws had no memory; their rows say so");
    return a->stopped ? CLI_NO_ANSWER : any ? CLI_ANSWERED : memory ? CLI_MACHINE : CLI_NO_ANSWER;
}
