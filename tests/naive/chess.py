"""Chess on a dictionary from square names to letters; a move is legal if nobody can then take the king."""

FILES, RANKS = "abcdefgh", "12345678"
STRAIGHT = [(0, 1), (1, 0), (0, -1), (-1, 0)]
OBLIQUE = [(1, 1), (1, -1), (-1, -1), (-1, 1)]
JUMPS = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]
SLIDES = {"b": OBLIQUE, "r": STRAIGHT, "q": STRAIGHT + OBLIQUE}
COMPASS = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)]
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


def shifted(square, file_step, rank_step):
    """The square so many files and ranks on, or None beyond the edge."""
    file, rank = FILES.index(square[0]) + file_step, RANKS.index(square[1]) + rank_step
    return FILES[file] + RANKS[rank] if 0 <= file < 8 and 0 <= rank < 8 else None


def number(square):
    """0 for a1, 7 for h1, 63 for h8."""
    return FILES.index(square[0]) + 8 * RANKS.index(square[1])


def action_id(origin, target, promotion):
    """The number of a move; `promotion` is a letter, or "" for none."""
    files = FILES.index(target[0]) - FILES.index(origin[0])
    ranks = RANKS.index(target[1]) - RANKS.index(origin[1])
    if promotion in ("n", "b", "r"):
        return number(origin) * 73 + 64 + 3 * [0, -1, 1].index(files) + "nbr".index(promotion)
    if (files, ranks) in JUMPS:
        return number(origin) * 73 + 56 + JUMPS.index((files, ranks))
    distance = max(abs(files), abs(ranks))
    direction = COMPASS.index((files // distance, ranks // distance))
    return number(origin) * 73 + 7 * direction + distance - 1


class NaiveChess:
    """A position with all positions before it.

    Args:
        fen: Where to start.
    """

    def __init__(self, fen=START):
        rows, turn, castling, en_passant, clock, move = fen.split()
        self.board = {}
        for rank, row in zip(reversed(RANKS), rows.split("/"), strict=True):
            row = "".join("." * int(sign) if sign.isdigit() else sign for sign in row)
            self.board.update(
                {file + rank: sign for file, sign in zip(FILES, row, strict=True) if sign != "."}
            )
        self.turn = "wb".index(turn)
        self.castling = castling.replace("-", "")
        self.en_passant = en_passant.replace("-", "")
        self.clock, self.move = int(clock), int(move)
        self.done = False
        self.seen = [self.identity()]
        self.past = [(dict(self.board), 1)]

    def is_own(self, square, side):
        """Whether a piece of a side stands there."""
        return square in self.board and self.board[square].isupper() == (side == 0)

    def reach(self, square):
        """The squares that the piece there attacks, its own side's pieces among them."""
        letter = self.board[square].lower()
        if letter == "p":
            forward = 1 if self.is_own(square, 0) else -1
            steps = [(-1, forward), (1, forward)]
        else:
            steps = {"n": JUMPS, "k": STRAIGHT + OBLIQUE}.get(letter, [])
        found = [shifted(square, *step) for step in steps]
        for step in SLIDES.get(letter, []):
            there = shifted(square, *step)
            while there:
                found.append(there)
                there = shifted(there, *step) if there not in self.board else None
        return [target for target in found if target]

    def is_attacked(self, square, side):
        """Whether a side attacks a square."""
        return any(square in self.reach(origin) for origin in self.board if self.is_own(origin, side))

    def in_check(self, side):
        """Whether a side's king is attacked."""
        king = next(square for square, letter in self.board.items() if letter == "Kk"[side])
        return self.is_attacked(king, 1 - side)

    def pseudo_moves(self):
        """Every (origin, target, promotion) of the side to move that its pieces can make."""
        for origin in [square for square in self.board if self.is_own(square, self.turn)]:
            if self.board[origin].lower() == "p":
                yield from self.pawn_moves(origin)
                continue
            for target in self.reach(origin):
                if not self.is_own(target, self.turn):
                    yield origin, target, ""

    def pawn_moves(self, origin):
        """The steps, jumps, captures and promotions of a pawn."""
        forward = 1 - 2 * self.turn
        once, twice = shifted(origin, 0, forward), shifted(origin, 0, 2 * forward)
        targets = [t for t in self.reach(origin) if self.is_own(t, 1 - self.turn) or t == self.en_passant]
        if once not in self.board:
            targets.append(once)
            if origin[1] == "27"[self.turn] and twice not in self.board:
                targets.append(twice)
        for target in targets:
            for promotion in "nbrq" if target[1] in "18" else [""]:
                yield origin, target, promotion

    def castling_moves(self):
        """The king's moves to its own rook's square."""
        rank = "18"[self.turn]
        home = "e" + rank
        for right, rook, empty, path in (("K", "h", "fg", "fg"), ("Q", "a", "bcd", "cd")):
            wanted = right if self.turn == 0 else right.lower()
            if wanted not in self.castling or any(file + rank in self.board for file in empty):
                continue
            if not any(
                self.is_attacked(square, 1 - self.turn) for square in [home, *(f + rank for f in path)]
            ):
                yield home, rook + rank, ""

    def after(self, origin, target, promotion):
        """The board after a move."""
        board = dict(self.board)
        letter = board.pop(origin)
        if letter.lower() == "k" and self.is_own(target, self.turn):
            del board[target]
            files = "gf" if target[0] == "h" else "cd"
            board[files[0] + origin[1]] = letter
            board[files[1] + origin[1]] = "Rr"[self.turn]
            return board
        if letter.lower() == "p" and target == self.en_passant:
            del board[target[0] + origin[1]]
        if promotion:
            letter = promotion.upper() if self.turn == 0 else promotion
        board[target] = letter
        return board

    def moves(self):
        """Every legal move by its action id."""
        found = {action_id(*move): move for move in self.castling_moves()}
        before = self.board
        for move in list(self.pseudo_moves()):
            self.board = self.after(*move)
            if not self.in_check(self.turn):
                found[action_id(*move)] = move
            self.board = before
        return found

    def legal_actions(self, player):
        """The legal ids in ascending order, for the player to move only."""
        return [] if self.done or player != self.turn else sorted(self.moves())

    def step(self, action):
        """Makes a move and returns the events as a list of (player, event name)."""
        origin, target, promotion = self.moves()[action]
        is_pawn = self.board[origin].lower() == "p"
        is_capture = self.is_own(target, 1 - self.turn)
        jumped = is_pawn and abs(int(origin[1]) - int(target[1])) == 2
        self.board = self.after(origin, target, promotion)
        self.en_passant = origin[0] + "36"[self.turn] if jumped else ""
        for square, rights in (
            ("e1", "KQ"),
            ("h1", "K"),
            ("a1", "Q"),
            ("e8", "kq"),
            ("h8", "k"),
            ("a8", "q"),
        ):
            if square in (origin, target):
                self.castling = "".join(right for right in self.castling if right not in rights)
        self.clock = 0 if is_pawn or is_capture else self.clock + 1
        self.move += self.turn
        self.turn = 1 - self.turn
        self.seen = [*(self.seen if self.clock else []), self.identity()]
        self.past.append((dict(self.board), self.seen.count(self.identity())))
        return self.end()

    def end(self):
        """The events of the end, if this is one."""
        mover, other = 1 - self.turn, self.turn
        has_moves = bool(self.moves())
        self.done = not has_moves or self.is_drawn()
        if not has_moves and self.in_check(other):
            return sorted([(mover, "win"), (other, "loss")])
        return [(0, "draw"), (1, "draw")] if self.done else []

    def is_drawn(self):
        """Third occurrence, fifty moves, or nothing left to mate with."""
        if self.seen.count(self.identity()) >= 3 or self.clock >= 100:
            return True
        rest = [letter.lower() for letter in self.board.values() if letter.lower() != "k"]
        colours = {
            number(square) // 8 % 2 ^ number(square) % 2 for square in self.board if self.is_bishop(square)
        }
        return rest in ([], ["n"]) or (set(rest) == {"b"} and len(colours) == 1)

    def is_bishop(self, square):
        """Whether a bishop stands there."""
        return self.board[square].lower() == "b"

    def identity(self):
        """What makes two positions the same."""
        takers = []
        if self.en_passant:
            back = -1 if self.turn == 0 else 1
            beside = [shifted(self.en_passant, step, back) for step in (-1, 1)]
            takers = [square for square in beside if square and self.board.get(square) == "Pp"[self.turn]]
        file = self.en_passant if takers else ""
        return tuple(sorted(self.board.items())), self.turn, "".join(sorted(self.castling)), file

    def fen(self):
        """The position as text."""
        rows = []
        for rank in reversed(RANKS):
            row = "".join(self.board.get(file + rank, ".") for file in FILES)
            for empty in range(8, 0, -1):
                row = row.replace("." * empty, str(empty))
            rows.append(row)
        turn, castling = "wb"[self.turn], "".join(sorted(self.castling)) or "-"
        return f"{'/'.join(rows)} {turn} {castling} {self.en_passant or '-'} {self.clock} {self.move}"

    def state_values(self):
        """The position, whose turn it is, and whether it is over."""
        return {"fen": self.fen(), "turn": self.turn, "done": self.done}

    def observation(self, player):
        """The planes of the game's own encoder."""
        return minimal_planes(self)


def plane_of(value):
    """A plane of one value, or of `value(square)`."""
    ask = value if callable(value) else lambda square: value
    return [[float(ask(file + rank)) for file in FILES] for rank in RANKS]


def letter_plane(board, letter):
    """Ones where a letter stands."""
    return plane_of(lambda square: board.get(square) == letter)


def minimal_planes(twin):
    """The nineteen planes from White's side."""
    return [
        *[letter_plane(twin.board, letter) for letter in "PNBRQKpnbrqk"],
        plane_of(twin.turn == 0),
        *[plane_of(right in twin.castling) for right in "KQkq"],
        plane_of(lambda square: square[0] == twin.en_passant[:1]),
        plane_of(twin.clock / 100),
    ]


def relative_planes(twin, player):
    """The nineteen planes from a player's side: for Black, the minimal ones of the reflected position."""
    if player == 0:
        return minimal_planes(twin)
    reflected = NaiveChess(twin.fen())
    reflected.board = {
        square[0] + RANKS[8 - int(square[1])]: letter.swapcase() for square, letter in twin.board.items()
    }
    reflected.turn = 1 - twin.turn
    reflected.castling = twin.castling.swapcase()
    return minimal_planes(reflected)


def openspiel_planes(twin):
    """OpenSpiel's twenty planes."""
    return [
        *[letter_plane(twin.board, letter) for letter in "KkQqRrBbNnPp"],
        plane_of(lambda square: square not in twin.board),
        plane_of((twin.past[-1][1] - 1) / 2),
        plane_of(twin.turn == 0),
        plane_of(twin.clock / 101),
        *[plane_of(right in twin.castling) for right in "QKqk"],
    ]


def alphazero_planes(twin, history_length):
    """AlphaZero's planes, newest position first."""
    found = []
    for age in range(history_length):
        board, seen = twin.past[-1 - age] if age < len(twin.past) else ({}, 0)
        found += [letter_plane(board, letter) for letter in "PNBRQKpnbrqk"]
        found += [plane_of(seen >= 2), plane_of(seen >= 3)]
    rights = [plane_of(right in twin.castling) for right in "KQkq"]
    return [*found, plane_of(twin.turn == 0), plane_of(twin.move / 100), *rights, plane_of(twin.clock / 100)]
