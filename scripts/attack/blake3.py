"""BLAKE3 in Python, for the hashes of small files (J. O'Connor and others, 2020)."""

import struct

START = (0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19)
ORDER = (2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8)
MIXED = ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),
         (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14))
CHUNK_START, CHUNK_END, PARENT, ROOT = 1, 2, 4, 8
MASK = 0xFFFFFFFF


def compress(value, block, counter, length, flags):
    words = list(struct.unpack("<16I", block.ljust(64, b"\0")))
    v = [*value, *START[:4], counter & MASK, counter >> 32, length, flags]
    for _ in range(7):
        for number, (a, b, c, d) in enumerate(MIXED):
            for word, first, second in ((words[2 * number], 16, 12), (words[2 * number + 1], 8, 7)):
                v[a] = (v[a] + v[b] + word) & MASK
                turned = v[d] ^ v[a]
                v[d] = (turned >> first | turned << 32 - first) & MASK
                v[c] = (v[c] + v[d]) & MASK
                turned = v[b] ^ v[c]
                v[b] = (turned >> second | turned << 32 - second) & MASK
        words = [words[index] for index in ORDER]
    return [v[index] ^ v[index + 8] for index in range(8)]


def chunk(data, counter, root):
    value, blocks = START, [data[at : at + 64] for at in range(0, len(data), 64)] or [b""]
    for at, block in enumerate(blocks):
        last = at + 1 == len(blocks)
        flags = CHUNK_START * (at == 0) | (CHUNK_END | root) * last
        value = compress(value, block, counter, len(block), flags)
    return value


def tree(data, counter, root):
    if len(data) <= 1024:
        return chunk(data, counter, root)
    left = 1024 << ((len(data) - 1) // 1024).bit_length() - 1
    both = tree(data[:left], counter, 0) + tree(data[left:], counter + left // 1024, 0)
    return compress(START, struct.pack("<16I", *both), 0, 64, PARENT | root)


def blake3(data):
    """Returns the hash in hexadecimal."""
    return struct.pack("<8I", *tree(data, 0, ROOT)).hex()
