"""`python -m embviz`: every page's headless twin. Argparse and printing only.

Results go to stdout (`--json` for machines), messages to stderr. Exit 0 is
done; exit 2 is bad input, told in one sentence and never with a traceback.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from embviz.core.routes import BothRoutes
    from embviz.timing.runs import Run


class _Parser(argparse.ArgumentParser):
    """Argparse that says one sentence instead of printing its whole usage."""

    def error(self, message: str) -> NoReturn:
        from embviz.core.wording import printable

        said = "".join(printable(c) for c in message)
        self.exit(2, f"{self.prog}: {said}. See: {self.prog} --help\n")


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    options = _parser().parse_args(arguments)
    try:
        done: int = options.run(options)
        sys.stdout.flush()  # here, so that a reader who has gone is noticed below
    except ValueError as error:  # every refusal of ours is one, and says why
        print(f"embviz: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # `| head` has read enough; nothing is left for Python to flush
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return done


def _parser() -> _Parser:
    parser = _Parser(prog="python -m embviz", description="nn.Embedding against one-hot x Linear.")
    commands = parser.add_subparsers(dest="command", required=True)

    compare = commands.add_parser("compare", help="one text or list of ids through both routes")
    compare.add_argument("text", nargs="?", help="text to encode, one id per character")
    compare.add_argument("--ids", help="ids instead of text: '2 3 1' or '[[1,3],[0,1]]'")
    compare.add_argument(
        "--vocab",
        default="printable",
        help="printable, letters, digits, bytes or custom (default printable)",
    )
    compare.add_argument("--chars", default="", help="the characters of --vocab custom")
    compare.add_argument(
        "--rows", type=int, help="num_embeddings (default: 100, or as many as the vocabulary needs)"
    )
    compare.add_argument("--dim", type=int, default=10, help="embedding_dim (default 10)")
    compare.add_argument("--seed", type=int, default=123, help="of the weights (default 123)")
    compare.add_argument(
        "--init",
        default="normal",
        help="normal, uniform, xavier_uniform, kaiming_uniform or integers",
    )
    compare.add_argument(
        "--weights",
        help="your own Embedding.weight: '[[8,2,1,9],[6,5,4,0]]'; its shape gives rows and dim",
    )
    compare.add_argument("--dtype", default="float32", help="float32, float64, bfloat16, float16")
    compare.add_argument("--device", default="cpu", help="cpu, cuda, mps or xpu")
    compare.add_argument(
        "--unknown",
        default="error",
        choices=["error", "unk"],
        help="unknown characters: refuse, or map to an <unk> row",
    )
    compare.add_argument("--escapes", action="store_true", help=r"read \n, \t, \x0b in the text")
    compare.add_argument("--json", action="store_true", help="one JSON object on stdout")
    compare.set_defaults(run=_compare)

    bag = commands.add_parser("bag", help="a row of counts by every route to the weighted sum")
    bag.add_argument("--x-train", help="the matrix, as nested lists or one row a line")
    bag.add_argument("--documents", help="or a text file, one document a line (- for stdin)")
    bag.add_argument(
        "--vectorizer", default="count", help="of documents: binary, count or tfidf (default count)"
    )
    bag.add_argument("--row", type=int, default=0, help="which row (default 0)")
    bag.add_argument("--linear-weight", help="Linear.weight, as nested lists (D x V)")
    bag.add_argument("--outputs", type=int, default=3, help="D of a random weight (default 3)")
    bag.add_argument("--seed", type=int, default=123, help="of a random weight (default 123)")
    bag.add_argument("--dtype", default="float32", help="float32 or float64 (default float32)")
    bag.add_argument("--json", action="store_true", help="one JSON object on stdout")
    bag.set_defaults(run=_bag)

    train = commands.add_parser("train", help="train both routes in lockstep")
    train.add_argument(
        "--optimizer",
        default="sgd",
        help="sgd, momentum, weight_decay, adam, "
        "adamw, adagrad, sparse_adam or sgd_sparse (default sgd)",
    )
    train.add_argument("--steps", type=int, default=200, help="how many (default 200)")
    train.add_argument("--text", help="a text file (- for stdin); default: the page's own text")
    train.add_argument(
        "--loss",
        default="next",
        help="next (cross-entropy of the next character) or mse (distance to 0) (default next)",
    )
    train.add_argument(
        "--batch",
        type=int,
        default=64,
        help="characters of a step; 0 is the whole text (default 64)",
    )
    train.add_argument("--dim", type=int, default=16, help="embedding_dim (default 16)")
    train.add_argument("--lr", type=float, help="learning rate (default: the optimizer's own)")
    train.add_argument("--seed", type=int, default=123, help="of weights and batches (default 123)")
    train.add_argument("--json", action="store_true", help="one JSON object on stdout")
    train.set_defaults(run=_train)

    limits = commands.add_parser(
        "limits", help="prove every case in which the two part ways; exit 1 if one is no longer so"
    )
    limits.add_argument("--dtype", default="float32", help="float32 or float64 (default float32)")
    form = limits.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="one JSON array on stdout")
    form.add_argument("--markdown", action="store_true", help="a Markdown table on stdout")
    form.add_argument(
        "--child",
        action="store_true",
        help="prove the cases that change state of the whole process; for embviz's own use",
    )
    limits.set_defaults(run=_limits)

    context = commands.add_parser("context", help="static against contextual vectors of a text")
    context.add_argument("text", nargs="?", help="printable ASCII, at most 256 characters")
    context.add_argument("--dim", type=int, default=10, help="embedding_dim (default 10)")
    context.add_argument("--seed", type=int, default=123, help="of weights and order (default 123)")
    context.add_argument(
        "--sentences",
        help="a text file for a real Sentence-BERT, one sentence a line (- for stdin)",
    )
    context.add_argument("--word", help="the word to compare across the sentences")
    context.add_argument("--json", action="store_true", help="one JSON object on stdout")
    context.set_defaults(run=_context)

    grade = commands.add_parser("grade", help="check the labs' files of a class again")
    grade.add_argument("files", nargs="+", metavar="FILE", help="what students downloaded")
    grade.add_argument("--csv", help="write every row to this file")
    grade.add_argument("--json", action="store_true", help="one JSON object on stdout")
    grade.set_defaults(run=_grade)

    worksheet = commands.add_parser("worksheet", help="a lab on paper, a sheet for each student")
    worksheet.add_argument("lab", help="row, bag, learns or cost")
    worksheet.add_argument(
        "--students", required=True, help="a text file, one name a line (- for stdin)"
    )
    worksheet.add_argument("--answers", action="store_true", help="with the solutions")
    worksheet.add_argument("--out", required=True, help="write the HTML to this file")
    worksheet.set_defaults(run=_worksheet)

    time = commands.add_parser("time", help="time lookup against matmul on this machine")
    time.add_argument(
        "--vary", default="vocab", help="vocab, dim, tokens, ids or dtype (default vocab)"
    )
    time.add_argument(
        "--values",
        nargs="+",
        help="what it takes, one point each (default for vocab: 64 to 65,536)",
    )
    time.add_argument(
        "--methods",
        nargs="+",
        help="lookup, lookup_sparse, index_select, "
        "numpy_take, matmul, matmul_table, onehot_matmul, scatter_matmul, "
        "sparse_matmul, embedding_bag, dense_bag (default: lookup index_select "
        "matmul onehot_matmul)",
    )
    time.add_argument(
        "--pass",
        dest="pass_",
        default="forward",
        help="forward, backward (forward + backward), sgd or adam (default forward)",
    )
    time.add_argument("--rows", type=int, default=4096, help="num_embeddings (default 4096)")
    time.add_argument("--dim", type=int, default=64, help="embedding_dim (default 64)")
    time.add_argument("--tokens", type=int, default=256, help="ids looked up at once (default 256)")
    time.add_argument("--dtype", default="float32", help="float32, float64, bfloat16, float16")
    time.add_argument("--devices", nargs="+", default=["cpu"], help="cpu, cuda, mps, xpu")
    time.add_argument(
        "--threads", type=int, help="of PyTorch (default: one core less than there are)"
    )
    time.add_argument("--ids", default="uniform", help="uniform, zipf or equal")
    time.add_argument("--output", default="fresh", help="fresh, or reused where a method can")
    time.add_argument("--out", help="write the run to this .jsonl file, line by line")
    time.add_argument("--plot", help="write an HTML report to this file")
    time.add_argument(
        "--repeat",
        type=int,
        default=1,
        help="measure the whole in so many fresh processes and report their spread",
    )
    time.add_argument("--json", action="store_true", help="one JSON object on stdout")
    time.add_argument("--worker", action="store_true", help="serve JSON cases from stdin")
    time.set_defaults(run=_time)

    env = commands.add_parser("env", help="what this machine is")
    env.add_argument("--json", action="store_true", help="one JSON object on stdout")
    env.set_defaults(run=_env)
    return parser


def _compare(options: argparse.Namespace) -> int:
    from functools import partial

    import torch

    from embviz.core.config import Config, max_tokens
    from embviz.core.escapes import unescape
    from embviz.core.ids import parse_ids
    from embviz.core.layers import tie
    from embviz.core.routes import run_both
    from embviz.core.vocabulary import Vocabulary, resolve
    from embviz.core.weights import parse_weights

    if (options.text is None) == (options.ids is None):
        raise ValueError("give either a text or --ids, for example: compare 'hello' --dim 8.")
    rows, dim, init, tables = options.rows, options.dim, options.init, tie
    if options.weights is not None:
        table = parse_weights(options.weights)
        (rows, dim), init, tables = table.shape, "own", partial(tie, table=table)
    common = {
        "embedding_dim": dim,
        "seed": options.seed,
        "init": init,
        "dtype": options.dtype,
        "device": options.device,
    }
    if options.ids is not None:
        config = Config("", num_embeddings=100 if rows is None else rows, **common)
        ids = parse_ids(options.ids, config.num_embeddings)
    else:
        vocabulary = Vocabulary(resolve(options.vocab, options.chars), options.unknown == "unk")
        rows = max(100, len(vocabulary)) if rows is None else rows
        config = Config(vocabulary.characters, rows, unk=vocabulary.unk, **common)
        text = unescape(options.text) if options.escapes else options.text
        if len(text) > (most := max_tokens()):
            raise ValueError(f"{len(text):,} characters are more than the {most:,} allowed.")
        ids = torch.tensor([vocabulary.encode(text)], dtype=torch.int64)
    both = run_both(config, ids, tables)
    print(json.dumps(_as_json(both)) if options.json else _as_text(both))
    return 0


def _as_json(both: BothRoutes) -> dict[str, Any]:
    error = both.comparison.max_abs_error
    return {
        "ids": both.ids.tolist(),
        "ids_shape": list(both.ids_shape),
        "output_shape": list(both.output_shape),
        "lookup": both.comparison.lookup.tolist(),
        "matmul": both.comparison.matmul.tolist(),
        "bitwise_equal": both.comparison.bitwise_equal,
        "max_abs_error": error if math.isfinite(error) else str(error),
        "ids_bytes": both.cost.ids_bytes,
        "one_hot_bytes": both.cost.one_hot_bytes,
        "config": both.config.to_dict(),
    }


def _as_text(both: BothRoutes) -> str:
    from embviz.core.wording import format_bytes

    result, cost = both.comparison, both.cost
    same = "bitwise equal" if result.bitwise_equal else "NOT bitwise equal"
    lines = [
        f"{both.ids_shape} -> {both.output_shape}: lookup and matmul are {same}: "
        f"{result.num_equal:,} of {result.num_values:,} values, "
        f"max |difference| {result.max_abs_error:g}, max ulp {result.max_ulp}",
        f"lookup reads {cost.numbers_read:,} numbers; matmul does {cost.multiplications:,} "
        f"multiplications, {cost.multiplications_by_zero:,} of them by zero; "
        f"ids {format_bytes(cost.ids_bytes)}, one-hot {format_bytes(cost.one_hot_bytes)}",
    ]
    flat = result.lookup.reshape(-1, both.config.embedding_dim)
    for token, row in list(zip(both.ids.flatten().tolist(), flat.tolist(), strict=True))[:20]:
        numbers = " ".join(f"{value:8.4f}" for value in row[:8])
        lines.append(f"id {token:>6}  {numbers}{' ...' if len(row) > 8 else ''}")
    if len(flat) > 20:
        lines.append(f"... {len(flat) - 20:,} more tokens; --json prints them all")
    return "\n".join(lines)


def _bag(options: argparse.Namespace) -> int:
    from embviz.bag.documents import KINDS, vectorize
    from embviz.bag.layers import check_weight, draw_weight, tie_weight
    from embviz.bag.matrix import parse_matrix
    from embviz.bag.row_routes import run_row
    from embviz.core.config import DTYPES
    from embviz.core.weights import parse_weights
    from embviz.core.wording import quote
    from embviz.training.text import open_text

    if (options.x_train is None) == (options.documents is None):
        raise ValueError(
            "give either --x-train or --documents, for example: bag --x-train '[[1,0,2],[0,1,1]]'."
        )
    if options.vectorizer not in KINDS:
        raise ValueError(f"{quote(options.vectorizer)} is not one of: {', '.join(KINDS)}.")
    if options.dtype not in ("float32", "float64"):
        raise ValueError(f"dtype {quote(options.dtype)} is not one of: float32, float64.")
    matrix = (
        parse_matrix(options.x_train)
        if options.documents is None
        else vectorize(open_text(options.documents), options.vectorizer)
    )
    rows, columns = matrix.shape
    if not 0 <= options.row < rows:
        raise ValueError(f"--row {options.row} is not a whole number from 0 to {rows - 1:,}.")
    dtype = DTYPES[options.dtype]
    if options.linear_weight is None:
        weight = draw_weight(columns, options.outputs, options.seed, dtype)
    else:
        weight = parse_weights(options.linear_weight).to(dtype)
        check_weight(weight, columns)
    row = matrix.row(options.row)
    result = run_row(row, tie_weight(weight))
    if options.json:
        found: dict[str, Any] = {"row_indices": row.indices.tolist(), "row_data": row.data.tolist()}
        for route in result.routes:
            found[route.name] = {
                "output": route.output.tolist(),
                "right": route.right,
                "max_abs_error": route.max_abs_error,
            }
        print(json.dumps(found))
        return 0
    print(
        f"row {options.row} of {rows:,} x {columns:,}: indices {row.indices[:20].tolist()}, "
        f"data {row.data[:20].tolist()}"
    )
    for route in result.routes:
        numbers = " ".join(f"{value:8.4f}" for value in route.output[:8].tolist())
        print(f"{route.name:24} {'right' if route.right else 'WRONG':6} {numbers}  {route.why}")
    return 0


def _train(options: argparse.Namespace) -> int:
    from embviz.core import bounds
    from embviz.core.config import Config
    from embviz.core.vocabulary import Vocabulary, resolve
    from embviz.core.wording import quote
    from embviz.training.batches import minibatches, whole_text
    from embviz.training.lockstep import Lockstep
    from embviz.training.losses import mse, next_character
    from embviz.training.text import open_text, prepare

    most = bounds.STEPS.value()
    if not 1 <= options.steps <= most:
        raise ValueError(f"--steps {options.steps} is not a whole number from 1 to {most:,}.")
    if options.loss not in ("next", "mse"):
        raise ValueError(f"{quote(options.loss)} is not one of: next, mse.")
    if not 0 <= options.batch <= 100_000:
        raise ValueError(f"--batch {options.batch} is not a whole number from 0 to 100,000.")
    vocabulary = Vocabulary(resolve("printable", ""))
    text = "WTF does nn.Embedding do?" if options.text is None else open_text(options.text)
    ids = prepare(text, vocabulary)
    config = Config(vocabulary.characters, len(vocabulary), options.dim, options.seed)
    loss = (
        mse()
        if options.loss == "mse"
        else next_character(len(vocabulary), options.dim, options.seed)
    )
    batches = minibatches(options.batch, options.seed) if options.batch else whole_text()
    run = Lockstep(
        config, ids, optimizer=options.optimizer, loss=loss, lr=options.lr, batches=batches
    )
    run.advance(options.steps)
    if run.failed:
        raise ValueError(run.failed)
    last = run.history[-1]
    found = {
        "steps": run.steps,
        "loss_embedding": last.loss_embedding,
        "loss_linear": last.loss_linear,
        "max_abs_weight_difference": run.max_abs_weight_difference,
        "max_abs_gradient_difference": run.max_abs_gradient_difference,
        "rows_never_looked_up": run.rows_never_looked_up,
        "max_drift_of_unseen_rows": run.max_drift_of_unseen_rows,
    }
    print(
        json.dumps(found)
        if options.json
        else "\n".join(f"{name:28} {value:g}" for name, value in found.items())
    )
    return 0


def _limits(options: argparse.Namespace) -> int:
    from embviz.core.wording import quote
    from embviz.limits.isolated import child_main
    from embviz.limits.prove import DTYPES
    from embviz.limits.report import all_hold, as_json, as_markdown, prove_all

    if options.child:
        child_main(sys.stdout)
        return 0
    if options.dtype not in DTYPES:
        raise ValueError(f"dtype {quote(options.dtype)} is not one of: {', '.join(DTYPES)}.")
    proofs = prove_all(options.dtype)
    if options.json:
        print(json.dumps(as_json(proofs)))
    elif options.markdown:
        print(as_markdown(proofs))
    else:
        for proof in proofs:
            holds = {True: "holds", False: "REFUTED", None: "-"}[proof.holds]
            print(f"{holds:8}{proof.entry.group:11}{proof.entry.name:34}{proof.line}")
    wrong = [proof.entry.name for proof in proofs if proof.holds is False]
    if wrong:
        print(f"embviz: no longer so on this PyTorch: {', '.join(wrong)}.", file=sys.stderr)
    return 0 if all_hold(proofs) else 1


def _context(options: argparse.Namespace) -> int:
    from embviz.context.report import report, sentences_report
    from embviz.core.config import Config
    from embviz.core.layers import tie
    from embviz.core.vocabulary import Vocabulary, resolve

    if (options.sentences is None) != (options.word is None):
        raise ValueError(
            "--sentences and --word go together, for example: --sentences banks.txt --word bank."
        )
    if options.text is None and options.sentences is None:
        raise ValueError(
            "give a text, --sentences with --word, or both, for example: context "
            "'the river bank' --json."
        )
    found: dict[str, Any] = {}
    if options.text is not None:
        import torch

        vocabulary = Vocabulary(resolve("printable", ""))
        config = Config(vocabulary.characters, len(vocabulary), options.dim, options.seed)
        ids = torch.tensor(vocabulary.encode(options.text), dtype=torch.int64)
        found |= report(tie(config), vocabulary, ids, options.seed)
    if options.sentences is not None:
        from embviz.context.sentence import load, model_name
        from embviz.training.text import open_text

        lines = [line for line in open_text(options.sentences).splitlines() if line.strip()]
        found |= sentences_report(load(model_name()), lines, options.word)
    print(
        json.dumps(found)
        if options.json
        else "\n".join(f"{name:40} {value}" for name, value in found.items())
    )
    return 0


def _grade(options: argparse.Namespace) -> int:
    from dataclasses import asdict
    from pathlib import Path

    from embviz.labs.grade import grade, to_csv, to_table

    report = grade(options.files)
    if options.csv is not None:
        try:
            Path(options.csv).write_text(to_csv(report), encoding="utf-8-sig", newline="")
        except OSError as error:
            raise ValueError(f"cannot write {options.csv!r}: {error.strerror}.") from None
    print(json.dumps(asdict(report)) if options.json else to_table(report))
    return 0


def _worksheet(options: argparse.Namespace) -> int:
    from pathlib import Path

    from embviz.labs.exercises import lab
    from embviz.labs.student import Student
    from embviz.labs.worksheet import worksheet
    from embviz.training.text import open_text

    names = [line for line in open_text(options.students).splitlines() if line.strip()]
    page = worksheet(lab(options.lab), [Student(name) for name in names], options.answers)
    try:
        Path(options.out).write_text(page, encoding="utf-8")
    except OSError as error:
        raise ValueError(f"cannot write {options.out!r}: {error.strerror}.") from None
    print(f"{len(names)} sheets in {options.out}", file=sys.stderr)
    return 0


def _time(options: argparse.Namespace) -> int:
    if options.worker:  # before PyTorch is imported, so that it ends with its parent even then
        from embviz.timing.worker import serve

        return serve()
    from pathlib import Path

    from embviz.core.config import available_devices, why_no_gpu
    from embviz.timing.cases import DEFAULT_METHODS, VARY, plan
    from embviz.timing.command import time_cases
    from embviz.timing.worker import default_threads

    fixed = {
        "num_embeddings": options.rows,
        "embedding_dim": options.dim,
        "tokens": options.tokens,
        "dtype": options.dtype,
        "ids": options.ids,
        "pass_": options.pass_,
        "output": options.output,
        "threads": default_threads() if options.threads is None else options.threads,
    }
    for device in options.devices:
        if device not in available_devices():
            here = ", ".join(available_devices())
            raise ValueError(
                f"device {device!r} is not one of this machine's: {here}. {why_no_gpu()}".strip()
            )
    cores = os.cpu_count() or 1
    if options.threads is not None and not 1 <= options.threads <= cores:
        raise ValueError(
            f"--threads {options.threads} is not a whole number from 1 to {cores}, "
            "the cores of this machine."
        )
    if not 1 <= options.repeat <= 100:
        raise ValueError(f"--repeat {options.repeat} is not a whole number from 1 to 100.")
    name, usual = VARY.get(options.vary, ("", ()))
    values = list(usual) if options.values is None else options.values
    if name not in ("ids", "dtype"):
        values = [_whole_value(value) for value in values]
    cases = plan(options.vary, values, options.methods or DEFAULT_METHODS, options.devices, **fixed)
    for path in filter(None, (options.out, options.plot)):
        folder = Path(path).resolve().parent
        if not folder.is_dir():
            raise ValueError(f"there is no folder for {path!r}.")
        if not os.access(folder, os.W_OK) or Path(path).is_dir():
            raise ValueError(f"{path!r} is no file that can be written.")
    report = None if options.plot is None else _report_into(Path(options.plot))
    out = None if options.out is None else Path(options.out)
    return time_cases(cases, out, options.repeat, report, options.json)


def _report_into(path: Path) -> Callable[[Sequence[Run]], None]:
    try:
        from embviz.figures.timing.report import html_report
    except ImportError:
        raise ValueError("--plot needs plotly: pip install plotly.") from None

    def write(runs: Sequence[Run]) -> None:
        path.write_text(html_report(runs), encoding="utf-8")

    return write


def _whole_value(text: object) -> int:
    try:
        number = float(str(text))
        if number == int(number):
            return int(number) if "e" in str(text).lower() else int(str(text))
        raise ValueError
    except (ValueError, OverflowError):
        from embviz.core.wording import quote

        raise ValueError(f"{quote(str(text))} is not a whole number.") from None


def _env(options: argparse.Namespace) -> int:
    from embviz.core.environment import Environment

    fields = Environment.capture().to_dict()
    if options.json:
        print(json.dumps(fields))
    else:
        print("\n".join(f"{name:15} {value}" for name, value in fields.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
