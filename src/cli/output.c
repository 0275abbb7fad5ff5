#include "output.h"

#include <string.h>
#include <unistd.h>

enum { MAX_MESSAGE_BYTES = 2000, CHUNK_BYTES = 512 };

static bool confined;

void dt_output_confine(void)
{
    confined = true;
}

/* Whether a byte behind another one is a control character, of ASCII or (C1, 0x80 to 0x9f) of UTF-8
 * and of 8-bit terminals. Inside a longer character of UTF-8 it is none. */
static bool is_control(unsigned char byte, unsigned char before)
{
    if (byte < 0x20)
        return byte != '\n' && byte != '\t';
    return byte == 0x7f || (byte >= 0x80 && byte <= 0x9f && (before < 0x80 || before == 0xc2));
}

/* The text for a terminal. */
static bool write_clean(FILE *stream, const char *text, size_t num_bytes)
{
    static unsigned char before; /* a character may come in two pieces */
    char chunk[CHUNK_BYTES];
    bool done = true;
    while (num_bytes > 0 && done) {
        size_t length = num_bytes < sizeof chunk ? num_bytes : sizeof chunk;
        for (size_t i = 0; i < length; i++) {
            chunk[i] = is_control((unsigned char)text[i], before) ? '?' : text[i];
            before = (unsigned char)chunk[i];
        }
        done = fwrite(chunk, 1, length, stream) == length;
        text += length;
        num_bytes -= length;
    }
    return done;
}

bool dt_output_write(FILE *stream, const char *text, size_t num_bytes)
{
    if (confined && isatty(fileno(stream)))
        return write_clean(stream, text, num_bytes);
    return fwrite(text, 1, num_bytes, stream) == num_bytes;
}

void dt_output_message(const char *message)
{
    size_t length = strlen(message);
    bool cut = confined && length > MAX_MESSAGE_BYTES;
    (void)dt_output_write(stderr, message, cut ? MAX_MESSAGE_BYTES : length);
    (void)fputs(cut ? "...\n" : "\n", stderr);
}
