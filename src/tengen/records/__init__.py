"""Records: what self-play games leave behind. Moves and search results, no tensors: the learner replays the rules.

`encode_chunk` and `decode_chunk` turn many games of one kind into a file and back; `verify` replays a game's rules.
"""

from tengen.records.chunk import FORMAT, Limits, decode_chunk, encode_chunk, read_header, record_schema_hash
from tengen.records.header import AnyHeader, Header
from tengen.records.record import ENDINGS, SCORED_ENDINGS, UNSOLVED, GameRecord, RecordError
from tengen.records.verify import verify

__all__ = [
    "ENDINGS",
    "FORMAT",
    "SCORED_ENDINGS",
    "UNSOLVED",
    "AnyHeader",
    "GameRecord",
    "Header",
    "Limits",
    "RecordError",
    "decode_chunk",
    "encode_chunk",
    "read_header",
    "record_schema_hash",
    "verify",
]
