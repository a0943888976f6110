// feeder - decides which rows the array takes: up to R a cycle, in order, all of one tile.
//
// The first row of a tile waits until all weights of the tile are taken.  Every row waits for a
// credit: there are as many as the result FIFO has places, a row takes one along, and it can be
// used again in the cycle after its result was fetched.  So no result ever waits inside the array:
// back-pressure stops the rows at the entrance, and only them.
module feeder #(
    parameter R = 1
) (
    input  wire         clk,
    input  wire         rst,
    input  wire [ 15:0] result_depth,
    input  wire         full,          // see loader
    input  wire [R-1:0] there,         // rows that could be taken
    input  wire [R-1:0] last,          // the last of its tile
    input  wire [R-1:0] fetched,       // results leave the result FIFO
    output reg  [R-1:0] take,
    output wire         first_row,
    output reg          streaming
);
    reg [15:0] credits, spent, back;
    reg open;
    integer l;

    always @* begin
        open  = full || streaming;
        spent = 0;
        back  = 0;
        for (l = 0; l < R; l = l + 1) begin
            take[l] = open && there[l] && l[15:0] < credits;
            open = take[l] && !last[l];
            if (take[l]) spent = spent + 1;
            if (fetched[l]) back = back + 1;
        end
    end

    assign first_row = take[0] && !streaming;

    always @(posedge clk)
        if (rst) begin
            streaming <= 0;
            credits   <= result_depth;
        end else begin
            if (take[0]) streaming <= ~|(take & last);
            credits <= credits - spent + back;
        end
endmodule
